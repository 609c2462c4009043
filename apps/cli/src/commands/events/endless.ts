import { usageError } from '../../run/cli-error.ts';
import type { Outcome } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';

/** For commands that run until they are interrupted: writes each item as it arrives, in a line-based format. */
export function endlessWriter(session: Session): (data: unknown, line: string) => void {
  const { output, json, jq } = session.settings;
  if (json !== undefined || jq !== undefined || (output !== 'ndjson' && output !== 'table' && output !== 'wide')) {
    throw usageError('This output never ends, so it can only be printed line by line', 'Use -o ndjson');
  }
  const { stdout } = session.io;
  return (data, line) => stdout.write(`${output === 'ndjson' ? JSON.stringify(data) : line}\n`);
}

/** Everything has been written before. */
export const ended: Outcome = { data: [], text: '' };
