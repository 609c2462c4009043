import { usageError } from './cli-error.ts';
import type { Session } from './session.ts';

/** Confirms a deletion or revocation. Without a terminal it requires --yes; otherwise nothing is done. */
export async function confirm(session: Session, what: string): Promise<void> {
  const { io, settings } = session;
  if (settings.yes) return;
  requireSomebody(session, what);
  const answer = await io.stdin.ask(`${withPlace(what, session)}. Are you sure? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw usageError('Canceled; nothing was changed');
}

/** Without a terminal, nothing needs to be looked up for the question either. */
export function requireSomebody(session: Session, what?: string): void {
  const { io, settings } = session;
  if (settings.yes || settings.dryRun || (settings.input && io.stdin.isTty)) return;
  throw usageError(
    what === undefined
      ? 'Confirmation is required, but there is no terminal to ask for it'
      : `${withPlace(what, session)}: confirmation is required, but there is no terminal to ask for it`,
    'Add --yes to confirm',
  );
}

/** Contexts and variables change, so the question names the host and org that it is about. */
function withPlace(what: string, { settings: { org, host } }: Session): string {
  if (org === undefined || host === undefined) return what;
  return what.endsWith(` ${org}`) ? `${what} at ${host}` : `${what} in ${org} at ${host}`;
}
