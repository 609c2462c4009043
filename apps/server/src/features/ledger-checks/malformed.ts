import type { OnDifference } from './difference.ts';

interface Read {
  readonly org: string;
  /** Of the entry. */
  readonly id: string;
  readonly index: number | null;
  readonly type: string;
}

/**
 * Runs what reads the payload of an entry, and reports one that has not the shape that its type has: who rewrote an entry
 * with all its digests must not end the check. Returns whether it could be read.
 */
export async function orMalformed(
  { org, id, index, type }: Read,
  onDifference: OnDifference,
  read: () => Promise<void> | void,
): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    onDifference({
      org,
      table: 'journal',
      row: id,
      column: 'payload',
      index,
      says: `is not that of an entry of type ${type}`,
    });
    return false;
  }
}
