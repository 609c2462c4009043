import { kindText, orgText, outsideFix, whoAmI } from '../../auth/who-am-i.ts';
import { scopeText } from '../../resources/scope-options.ts';
import { factsText } from '../../resources/show.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description:
    'Shows who you are, your role, and the source of the key. Exits with 4 if you are not signed in or not a member ' +
    'of the org.',
  examples: [
    { say: 'Your identity and the key in use', run: 'waymark auth status' },
    { say: 'In a script', run: 'waymark auth status -q > /dev/null || waymark auth login' },
  ],
  build: (command) => command,
  async run(session) {
    if (session.settings.host === undefined) {
      throw new CliError('denied', 'You are not signed in anywhere', { fix: "Run 'waymark auth login --host URL'" });
    }
    const { source, job } = await session.signIn();
    const identity = await whoAmI(session, session.client(), source);
    const isOutside = identity.org !== null && identity.role === null;
    return {
      ending: isOutside ? 'denied' : 'done',
      data: {
        ...identity,
        signed_in_with: job ? 'workload_identity' : 'key',
        source,
        workload_identity: job?.workload_identity ?? null,
        expires_at: job?.expires_at ?? null,
      },
      text: (style) =>
        factsText(
          `${isOutside ? style.bad('✕') : style.good('✓')} ${style.strong(identity.login)}, ${kindText(identity)}, at ${identity.host}`,
          [
            ['name', identity.display_name === identity.login ? null : identity.display_name],
            ['email', identity.email],
            ['org', orgText(identity)],
            ['fix', isOutside ? outsideFix(identity) : null],
            ['valid only in', identity.only_org],
            ['key scope', scopeText(identity.scope)],
            ['host from', session.sources.host],
            ['key from', job ? `the identity of the job (${source}), trusted as '${job.workload_identity}'` : source],
            ['key expires', showTime(job?.expires_at, session)],
          ],
        ),
    };
  },
});
