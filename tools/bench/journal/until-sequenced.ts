import type pg from 'pg';

/** Until every entry of the journal has its place in the order. */
export async function untilSequenced(db: pg.Client): Promise<void> {
  for (let attempt = 0; attempt < 6_000; attempt++) {
    const { rows } = await db.query<{ done: boolean }>(
      'select (select count(*) from journal) = (select count(*) from ledger) as done',
    );
    if (rows[0]?.done) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the sequencer did not catch up');
}
