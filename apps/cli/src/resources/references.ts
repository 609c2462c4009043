import { searchSha } from '@waymark/contract';
import { CliError, usageError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';

/** A fingerprint or a prefix of it, with or without `sha256:`. */
export function fingerprintPrefix(text: string): string {
  const digits = text.replace(/^sha256:/i, '').toLowerCase();
  if (/^[a-f0-9]{5,64}$/.test(digits)) return digits;
  throw usageError(
    `'${text}' is not a fingerprint`,
    "Use all 64 hexadecimal digits, or the first 5 or more; 'waymark fingerprint PATH' prints the fingerprint of a file",
  );
}

/** The whole fingerprint, where a mistaken match would be harmful. */
export function wholeFingerprint(text: string): string {
  const digits = fingerprintPrefix(text);
  if (digits.length === 64) return digits;
  throw usageError(`'${text}' is an incomplete fingerprint`, 'Use all 64 digits');
}

/** `TRAIL` in the flow that is set, or `FLOW/TRAIL`. */
export function trailReference(session: Session, text: string | undefined): { flow_name: string; trail_name: string } {
  const [flow, trail, ...more] = (text ?? '').split('/');
  if (flow && trail && more.length === 0) return { flow_name: flow, trail_name: trail };
  if (text?.includes('/')) throw usageError(`'${text}' is not a trail`, 'Use TRAIL or FLOW/TRAIL');
  return { flow_name: session.need('flow'), trail_name: text ?? session.need('trail') };
}

/** `ENV`, `ENV#7`, `ENV~1`, `ENV@{2.days.ago}`, `ENV@-1`: the environment, and which of its snapshots. */
export function snapshotReference(text: string): { env_name: string; snapshot_expression: string } {
  const [, env_name, expression = ''] = /^([a-zA-Z0-9][a-zA-Z0-9._-]*)(.*)$/s.exec(text) ?? [];
  const isExpression = /^(|#-?\d+|~\d*|@\{[^}]+\}|@[#~-]?\d+)$/.test(expression);
  if (env_name === undefined || !isExpression) {
    throw usageError(
      `'${text}' is not a snapshot`,
      "Use ENV for the latest, 'ENV#7', ENV~1, or 'ENV@{2.days.ago}'; quote # and {}, which shells interpret",
    );
  }
  return { env_name, snapshot_expression: expression.replace(/^@(?!\{)/, '') || '-1' };
}

/** Returns the flow of an artifact, when none was given. */
export async function flowOf(session: Session, fingerprint: string): Promise<string> {
  if (session.settings.flow !== undefined) return session.settings.flow;
  const found = await session
    .client()
    .call(searchSha, { params: { org: session.need('org'), sha: fingerprint }, signal: session.io.signal });
  const flows = [...new Set(found.artifacts.filter(({ flow }) => flow !== '').map(({ flow }) => flow))];
  const [only, ...others] = flows;
  if (only === undefined) throw new CliError('notFound', `No flow reported artifact ${fingerprint}`);
  if (others.length === 0) return only;
  throw usageError(`Several flows reported it: ${flows.join(', ')}`, 'Choose one with --flow');
}

/** Where all flows count unless the line names one, whatever is set elsewhere. */
export function namedFlow({ settings, sources }: Session): string | undefined {
  return sources.flow === '--flow' ? settings.flow : undefined;
}
