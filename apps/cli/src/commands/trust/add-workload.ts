import { Option } from '@commander-js/extra-typings';
import { addWorkloadIdentity, type KeyScope } from '@waymark/contract';
import { scopeText } from '../../resources/scope-options.ts';
import { noteDryRun, writing } from '../../resources/write.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';

export const accountOption = () =>
  new Option('--sa <name>', 'service account that the jobs act as').makeOptionMandatory();

interface Workload {
  readonly name: string;
  readonly service_account: string;
  readonly issuer: string;
  readonly claims: Readonly<Record<string, string>>;
  readonly scope: KeyScope | undefined;
}

/** Lets jobs with these claims act as the service account. */
export async function addWorkload(session: Session, { scope, ...workload }: Workload): Promise<Outcome> {
  const org = session.need('org');
  const added = await session.client().call(addWorkloadIdentity, {
    params: { org },
    body: { ...workload, claims: { ...workload.claims }, ...(scope && { scope }) },
    ...writing(session),
  });
  noteDryRun(session);
  if (!scope)
    session.warn(
      `The jobs get all permissions of '${added.service_account}'. Limit them with --scope evidence or --scope snapshot`,
    );
  if (!session.settings.dryRun)
    session.say(
      `Jobs must request a token for the audience ${session.need('host')}/${org}; 'waymark' does this automatically`,
    );
  return {
    data: added,
    text: `'${added.name}': jobs with ${claimsText(added.claims)} act as ${added.service_account}${limitText(added.scope)}`,
  };
}

function limitText(scope: KeyScope | null): string {
  return scope ? `, with the scope ${scopeText(scope)}` : '';
}

export function claimsText(claims: Readonly<Record<string, string>>): string {
  return Object.entries(claims)
    .map(([claim, value]) => `${claim}=${value}`)
    .join(' ');
}

/** A display name made from the subject. */
export function nameOf(...parts: readonly (string | undefined)[]): string {
  const text = parts.filter(Boolean).join('-');
  return text
    .replace(/[^a-zA-Z0-9._~-]+/g, '-')
    .replace(/^[^a-zA-Z0-9]+|-+$/g, '')
    .slice(0, 255);
}
