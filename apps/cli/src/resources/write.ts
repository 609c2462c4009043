import { usageError } from '../run/cli-error.ts';
import { confirm } from '../run/confirm.ts';
import type { Outcome } from '../run/outcome.ts';
import type { Session } from '../run/session.ts';

export type Put = 'created' | 'updated' | 'unchanged';

/** The options of every write. */
export function writing({ settings, io }: Session): { dryRun: boolean; signal: AbortSignal } {
  return { dryRun: settings.dryRun === true, signal: io.signal };
}

/** Returns the outcome of a write that the service answers with a message. */
export function outcomeOf(session: Session, about: object, message: string): Outcome {
  noteDryRun(session);
  return { data: { ...about, message }, text: inWords(session, message) };
}

export function noteDryRun(session: Session): void {
  if (session.settings.dryRun) session.say('(dry run: nothing was recorded)');
}

/** Rewrites past tense into conditional. */
const WOULD: readonly (readonly [found: RegExp, conditional: string])[] = [
  [
    / (begun|created|updated|changed|archived|deleted|removed|renamed|revoked|withdrawn)(?=[:,.]|$| to )/,
    ' would be $1',
  ],
  [/ now includes /, ' would include '],
  [/ includes (.+) now$/, ' would include $1'],
  [/ (?:is|are) no longer (?=[a-z])/, ' would no longer be '],
  [/ is not (?=[a-z])/, ' would not be '],
  [/ (?:is|are|was)(?: now)? (?=[a-z])/, ' would be '],
  [/, and (.+) are /, ', and $1 would be '],
];

/** Returns a message about a write. The service answers a dry run as it answers the real one. */
export function inWords({ settings }: Session, statement: string): string {
  if (!settings.dryRun) return statement;
  // Names may contain these words as well, so they are replaced first.
  const names: string[] = [];
  const bare = statement.replace(/'[^']*'/g, (name) => `'${names.push(name) - 1}'`);
  const conditional = WOULD.reduce((text, [found, instead]) => text.replace(found, instead), bare);
  return conditional.replace(/'(\d+)'/g, (_, at) => names[Number(at)] ?? '');
}

/** The message of the service ends with what it did. */
export function putOf(message: string): Put {
  return /\b(created|unchanged)$/.test(message) ? (message.split(' ').at(-1) as Put) : 'updated';
}

/** Asks for confirmation, since it cannot be undone. A dry run needs none. */
export async function confirmed(session: Session, what: string): Promise<void> {
  if (!session.settings.dryRun) await confirm(session, what);
}

/** An update without changes is a mistake. */
export function requireChange(change: object, command: string): void {
  if (Object.keys(change).length > 0) return;
  throw usageError('No changes are specified', `Run 'waymark ${command} --help' to see what can be changed`);
}
