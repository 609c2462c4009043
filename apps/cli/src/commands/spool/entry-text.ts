import { oneLine } from '../../run/table.ts';
import type { Spooled } from '../../spool/spooled.ts';

/** Operations whose command does not follow from their name. */
const COMMANDS: Readonly<Record<string, string>> = {
  reportArtifact: 'attest artifact',
  attestPullRequest: 'attest pr',
  attestInToto: 'attest in-toto',
};

/** Returns the operation in the words of the command line. */
export function commandOf({ operation }: Spooled): string {
  const words = operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return COMMANDS[operation] ?? words.replace(/^report /, 'snapshot ');
}

/**
 * Returns the subject of an entry: `unit-tests in web/release-1` for evidence, `web/release-1` for a trail, `prod` for
 * a report.
 */
export function aboutEntry({ operation, params, body }: Spooled): string {
  const given = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = (key: string) => (typeof given[key] === 'string' ? given[key] : undefined);
  const trail = params['trail_name'] ?? text(operation === 'beginTrail' ? 'name' : 'trail_name');
  const place = [params['flow_name'], trail, params['env_name']].filter((part) => part !== undefined).join('/');
  const name = text('attestation_name') ?? text('filename');
  return oneLine(name === undefined ? place : `${name} in ${place}`);
}

export function secondsOf(iso: string): number | null {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? null : ms / 1000;
}

/** Enough of an id to distinguish it from others, and short enough to type. */
export const SHORT_ID = 8;
