import { CliError } from '../../run/cli-error.ts';
import type { SpoolList } from '../../spool/spool.ts';
import type { Damaged, Spooled } from '../../spool/spooled.ts';
import { SHORT_ID } from './entry-text.ts';

export type FoundEntry =
  | { readonly kind: 'waiting'; readonly entry: Spooled }
  | { readonly kind: 'refused'; readonly entry: Spooled; readonly reason: string; readonly at: string }
  | { readonly kind: 'damaged'; readonly damaged: Damaged };

/** By its id or a prefix of it, or by the name of a damaged file. */
export function findEntry({ entries, refused, damaged }: SpoolList, id: string): FoundEntry {
  const isIt = (entry: Spooled) => entry.id === id || (id.length >= SHORT_ID && entry.id.startsWith(id));
  const found: FoundEntry[] = [
    ...entries.filter(isIt).map((entry) => ({ kind: 'waiting' as const, entry })),
    ...refused.filter(({ entry }) => isIt(entry)).map((one) => ({ kind: 'refused' as const, ...one })),
    ...damaged.filter(({ file }) => file === id).map((one) => ({ kind: 'damaged' as const, damaged: one })),
  ];
  const [first, second] = found;
  if (!first) {
    throw new CliError('notFound', `No entry '${id}' in the spool`, {
      fix: "List the entries with 'waymark spool status'; it may have been sent in the meantime",
    });
  }
  if (second) {
    throw new CliError('usage', `Several spool entries begin with '${id}'`, { fix: 'Use the full id' });
  }
  return first;
}
