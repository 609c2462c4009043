import { atLeast } from '@waymark/contract';
import { type Identity, orgText, outsideFix, whoAmI } from '../../auth/who-am-i.ts';
import { failureOf } from '../../run/failure.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import { oneLine } from '../../run/table.ts';
import { type Check, failed, passed, skipped, warned } from './check.ts';

/** Checks who the key belongs to, and what they may do in the org. */
export async function checkSignIn(session: Session): Promise<Check[]> {
  try {
    const { source, job } = await session.signIn();
    const me = await whoAmI(session, session.client(), source);
    const until = job ? `, until ${showTime(job.expires_at, session)}` : '';
    const who = me.kind === 'service_account' ? `service account ${me.login}` : me.login;
    return [passed('sign-in', oneLine(`${who}, with the key from ${source}${until}`)), checkOrg(me)];
  } catch (error) {
    session.io.signal.throwIfAborted();
    const { message, why, fix, ending } = failureOf(error, session.settings.host);
    return [
      failed(
        'sign-in',
        ending === 'unavailable' || ending === 'usage' ? ending : 'denied',
        oneLine(why ? `${message}: ${why}` : message),
        fix ?? "Sign in with 'waymark auth login', or set WAYMARK_TOKEN",
      ),
      skipped('org', 'You are not signed in'),
    ];
  }
}

function checkOrg(me: Identity): Check {
  const { org, orgs, role } = me;
  const names = orgs.map(({ name }) => name).join(', ');
  if (org === null) {
    return failed('org', 'usage', 'No org is set', `Add --org, or set WAYMARK_ORG; you are in ${names || 'none'}`);
  }
  if (role === null) {
    return failed('org', 'denied', `You are not a member of the org '${org}', or it does not exist`, outsideFix(me));
  }
  if (orgs.some(({ name, sso_required }) => name === org && sso_required)) {
    const fix = "Sign in there, and then run 'waymark auth login' with a new key";
    return failed('org', 'denied', `${org} requires sign-in through its identity provider`, fix);
  }
  if (me.scope !== null && me.scope.kind !== 'evidence') {
    const fix = 'If it must, ask for a key with the scope evidence';
    return warned('org', `${org}, as ${role}: the key has the scope ${me.scope.kind} and cannot record evidence`, fix);
  }
  if (!atLeast(role, 'member')) {
    const can = role === 'snapshotter' ? 'can report what runs, but cannot' : 'cannot';
    const fix = 'If it must, ask an admin for the role member, or for a key of a service account that has it';
    return warned('org', `${org}, as ${role}: ${can} record evidence (needs member)`, fix);
  }
  return passed('org', orgText(me));
}
