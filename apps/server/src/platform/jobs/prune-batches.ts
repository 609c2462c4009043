/** Rows that one statement deletes: some milliseconds, so that nobody waits behind it for long. */
const BATCH = 5_000;

/** Deletes in batches, each in a transaction of its own, until one is not full: as many as have grown old. */
export async function pruneBatches(
  remove: (limit: number) => Promise<{ readonly numAffectedRows?: bigint }>,
): Promise<void> {
  let removed: bigint | undefined;
  do {
    removed = (await remove(BATCH)).numAffectedRows;
  } while (removed === BigInt(BATCH));
}
