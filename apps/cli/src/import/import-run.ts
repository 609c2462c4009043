import { ApiError, type Client } from '@waymark/client';
import { CliError } from '../run/cli-error.ts';
import { failureOf } from '../run/failure.ts';
import type { ImportState } from './import-state.ts';
import type { Source } from './source.ts';
import type { ImportKind, Item } from './tally.ts';

/** One run of an import: where from, where to, and what is done already. */
export interface ImportRun {
  readonly source: Source;
  readonly target: {
    readonly client: Client;
    readonly host: string;
    readonly org: string;
    readonly signal: AbortSignal;
  };
  readonly state: ImportState;
  /** Both sides are read, and nothing is written. */
  readonly isDryRun: boolean;
  /** A directory for the attachment that is on its way. */
  readonly scratch: string;
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** Statuses that are about one item. After any other the import stops, as the next item would fail as well. */
const OF_ONE_ITEM = new Set([400, 404, 409, 410, 413, 422]);

/** Returns the outcome of an item. A refusal of this item alone is an outcome, too. */
export async function attempt(
  run: ImportRun,
  kind: ImportKind,
  name: string,
  work: () => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof CliError ? error.cause : error;
    const isMismatch = error instanceof CliError && error.ending === 'nonCompliant';
    if (!isMismatch && !isAboutOneItem(cause)) throw error;
    const { message, why, ending } = failureOf(error, run.target.host);
    const reason = [message, why].filter((part) => part !== undefined).join(': ');
    run.warn(`${kind} ${name}: ${reason}`);
    return [{ kind, name, outcome: 'failed', reason, ending }];
  }
}

function isAboutOneItem(error: unknown): boolean {
  return error instanceof ApiError && OF_ONE_ITEM.has(error.status) && !error.message.includes('storage quota');
}
