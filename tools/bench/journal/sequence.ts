import pg from 'pg';
import { type Db, openDb } from '../../../apps/server/src/platform/db/db.ts';
import { planOnce } from '../../../apps/server/src/platform/journal/leader.ts';
import { loadSequence, takePass } from '../../../apps/server/src/platform/journal/pass.ts';
import { createLogger } from '../../../apps/server/src/platform/log.ts';
import { install, serviceRoots } from '../installation.ts';
import { compare } from '../rounds.ts';
import { ROUNDS, setting } from '../settings.ts';

const ORGS = setting('BENCH_ORGS', 1_000);
const ENTRIES = setting('BENCH_ENTRIES', 30_000);
const BATCH = 1_000;
const FLOOR = 0.2;

/**
 * Passes over entries of a thousand orgs, about one for each org in a pass, against a copy of the same rows of the
 * journal in transactions of the same size.
 */
export async function benchSequence(): Promise<boolean> {
  const installation = await install();
  const db = openDb(
    { url: installation.databaseUrl, poolSize: 1, statementTimeoutMs: 600_000 },
    createLogger('silent'),
  );
  const client = new pg.Client({ connectionString: installation.databaseUrl });
  await client.connect();
  try {
    await client.query(`
      create table bench_org as select row_number() over () as n, gen_random_uuid() as id
      from generate_series(1, ${ORGS});
      create table copied (like journal including defaults including constraints including indexes)`);
    await planOnce(db);
    await sequence(db);
    const ratio = await compare({
      name: 'sequence',
      rounds: ROUNDS,
      roots: serviceRoots(),
      ours: {
        name: 'sequence',
        async measure() {
          await fill(client);
          return sequence(db);
        },
      },
      bare: { name: 'copy', measure: () => copyNewest(client) },
    });
    return ratio >= FLOOR;
  } finally {
    await client.end();
    await db.destroy();
    installation.remove();
  }
}

async function fill(client: pg.Client): Promise<void> {
  await client.query(`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, payload, nonce, payload_digest)
    select bench_org.id, gen_random_uuid(), now(), 'flow.updated', 1, 'system', 'bench', 'flow', gen_random_uuid(), 1,
      '{"name":"bench","description":"' || repeat('x', 200) || '"}', sha256(i::text::bytea), sha256(i::text::bytea)
    from generate_series(1, ${ENTRIES}) as i join bench_org on n = 1 + (i * 7919) % ${ORGS}
    order by i`);
  await client.query('analyze journal');
}

async function sequence(db: Db): Promise<number> {
  const started = performance.now();
  let sequenced = 0;
  let passed = { sequence: await loadSequence(db), isMoreVisible: true };
  while (passed.isMoreVisible) {
    const taken = await takePass(db, passed.sequence, BATCH);
    sequenced += taken.count;
    passed = taken;
  }
  return sequenced / ((performance.now() - started) / 1000);
}

/** The last entries, as many as are sequenced in a round. */
async function copyNewest(client: pg.Client): Promise<number> {
  await client.query('truncate copied');
  const { rows } = await client.query<{ newest: string }>('select max(seq) as newest from journal');
  const newest = Number(rows[0]?.newest);
  const started = performance.now();
  for (let from = newest - ENTRIES; from < newest; from += BATCH) {
    await client.query('insert into copied select * from journal where seq > $1 and seq <= $2 order by seq', [
      from,
      from + BATCH,
    ]);
  }
  return ENTRIES / ((performance.now() - started) / 1000);
}
