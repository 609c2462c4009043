/** Rows that one statement deletes: it takes milliseconds, so that nobody waits long behind it. */
const BATCH = 5_000;

/** Deletes in batches, each in its own transaction, until one is not full. */
export async function pruneBatches(
  remove: (limit: number) => Promise<{ readonly numAffectedRows?: bigint }>,
): Promise<void> {
  let removed: bigint | undefined;
  do {
    removed = (await remove(BATCH)).numAffectedRows;
  } while (removed === BigInt(BATCH));
}
