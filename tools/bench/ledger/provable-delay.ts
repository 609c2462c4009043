import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { percentile } from '../evidence/clients.ts';
import { serviceRoots } from '../installation.ts';
import { untilSequenced } from '../journal/until-sequenced.ts';
import { median, print, round2, untilQuiet } from '../rounds.ts';
import { setting } from '../settings.ts';
import { insertOf, installSigned, makeOrgs } from './signed-installation.ts';

const ORGS = setting('BENCH_ORGS', 1_000);
const ROUNDS = setting('BENCH_ROUNDS', 3);
const SECONDS = setting('BENCH_SECONDS', 20);
const PER_SECOND = setting('BENCH_PER_SECOND', 500);
const WRITERS = 8;
const P50_MS = 1_000;
const P99_MS = 3_000;

/** How long after its commit an entry is under a signed checkpoint of the region log, at 500 entries a second. */
export async function benchProvableDelay(): Promise<boolean> {
  const installation = await installSigned();
  makeOrgs(installation, ORGS);
  const sealer = await installation.startSealer();
  const writers = new pg.Pool({ connectionString: installation.databaseUrl, max: WRITERS });
  const reader = new pg.Client({ connectionString: installation.databaseUrl });
  await reader.connect();
  await untilSequenced(reader);
  const watched = watch(reader);
  try {
    await writeSteadily(writers, watched, 5);
    const delays: { p50: number; p99: number }[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      delays.push(
        await untilQuiet(
          serviceRoots(),
          async () => {
            const sorted = (await writeSteadily(writers, watched, SECONDS)).toSorted((a, b) => a - b);
            return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
          },
          ({ p50, p99 }, others) =>
            print(`provable-delay  round ${round}  p50 ${p50.toFixed(0)} ms  p99 ${p99.toFixed(0)} ms  ${others}`),
        ),
      );
    }
    const p50 = median(delays.map((delay) => delay.p50));
    const p99 = median(delays.map((delay) => delay.p99));
    print(JSON.stringify({ name: 'provable-delay', p50: round2(p50), p99: round2(p99) }));
    return p50 <= P50_MS && p99 <= P99_MS;
  } finally {
    await watched.stop();
    await sealer.stop();
    await writers.end();
    await reader.end();
    installation.remove();
  }
}

interface Watched {
  /** Resolves with the time at which a checkpoint covered the entry. */
  provable(id: string): Promise<number>;
  stop(): Promise<void>;
}

/** Looks for new checkpoints, and for the newest entries of the heads that each covers. */
function watch(reader: pg.Client): Watched {
  const waiting = new Map<string, (at: number) => void>();
  const found = new Map<string, number>();
  let isStopped = false;
  const see = (id: string, at: number) => {
    found.set(id, found.get(id) ?? at);
    waiting.get(id)?.(at);
    waiting.delete(id);
  };
  const run = async () => {
    for (let covered = 0; !isStopped; await pause(10)) {
      const size = await sizeOfNewest(reader);
      const at = performance.now();
      if (size > covered) for (const id of await readProvable(reader, covered, size)) see(id, at);
      covered = size;
    }
  };
  const running = run();
  return {
    provable: (id) =>
      new Promise((resolve) => {
        const already = found.get(id);
        if (already === undefined) waiting.set(id, resolve);
        else resolve(already);
      }),
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

async function sizeOfNewest(reader: pg.Client): Promise<number> {
  const { rows } = await reader.query<{ size: string }>(
    'select size from region_checkpoint where epoch = 1 order by number desc limit 1',
  );
  return Number(rows[0]?.size ?? 0);
}

async function readProvable(reader: pg.Client, covered: number, size: number): Promise<string[]> {
  const { rows } = await reader.query<{ entry_id: string }>({
    name: 'read_provable',
    text: `select entry.entry_id
      from region_leaf as leaf join org_log as log on log.log_id = leaf.log_id
      cross join lateral (
        select entry_id from ledger where ledger.org_id = log.org_id and ledger.index < leaf.size
        order by ledger.index desc limit 20
      ) as entry
      where leaf.epoch = 1 and leaf.index >= $1 and leaf.index < $2`,
    values: [covered, size],
  });
  return rows.map(({ entry_id }) => entry_id);
}

let written = 0;

async function writeSteadily(writers: pg.Pool, watched: Watched, seconds: number): Promise<number[]> {
  const started = performance.now();
  const delays: Promise<number>[] = [];
  for (let n = 0; n < PER_SECOND * seconds; n++) {
    const ahead = started + (n / PER_SECOND) * 1_000 - performance.now();
    if (ahead > 1) await pause(ahead);
    delays.push(writeOne(writers, watched));
  }
  return Promise.race([
    Promise.all(delays),
    pause((seconds + 60) * 1_000, undefined, { ref: false }).then(() =>
      Promise.reject(new Error('entries were not provable within a minute')),
    ),
  ]);
}

async function writeOne(writers: pg.Pool, watched: Watched): Promise<number> {
  const { rows } = await writers.query<{ id: string }>({ ...insertOf(1, ORGS), values: [written++] });
  const committed = performance.now();
  return (await watched.provable(rows[0]?.id ?? '')) - committed;
}
