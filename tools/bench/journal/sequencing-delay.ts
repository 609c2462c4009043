import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { hearLanes } from '../../../apps/server/src/platform/journal/notices.ts';
import { createPoke } from '../../../apps/server/src/platform/journal/poke.ts';
import { connectNats, type Linked } from '../../../apps/server/src/platform/journal/stream.ts';
import { createLogger } from '../../../apps/server/src/platform/log.ts';
import { endpoints } from '../../services/endpoints.ts';
import { percentile } from '../evidence/clients.ts';
import { type Installation, install, serviceRoots, startNode } from '../installation.ts';
import { median, print, round2, untilQuiet } from '../rounds.ts';
import { setting } from '../settings.ts';
import { untilSequenced } from './until-sequenced.ts';

const ROUNDS = setting('BENCH_ROUNDS', 3);
const SECONDS = setting('BENCH_SECONDS', 20);
const OPEN_SECONDS = setting('BENCH_OPEN_SECONDS', 60);
const ORGS = setting('BENCH_ORGS', 1_000);
const WRITERS = 8;

interface Delay {
  readonly p50: number;
  readonly p99: number;
}

interface Limit extends Delay {
  readonly name: string;
}

const ORDINARY: Limit = { name: '500 entries a second', p50: 15, p99: 100 };
const BEHIND_AN_OPEN_ONE: Limit = {
  name: '1,000 entries a second beside an open transaction',
  p50: Number.POSITIVE_INFINITY,
  p99: 250,
};

/**
 * How long after its commit an entry can be read in the order: at 500 entries a second, and at 1,000 while a transaction
 * that has written stays open for a minute.
 */
export async function benchSequencingDelay(): Promise<boolean> {
  const installation = await install();
  installation.sql(`
    create table bench_org as select row_number() over () as n, gen_random_uuid() as id from generate_series(1, ${ORGS})`);
  const nats = await connectNats(streamOf(installation), 'waymark-bench', createLogger('silent'));
  const sequencer = await startNode([join(import.meta.dirname, 'sequencer-alone.ts')], installation.env);
  const writers = new pg.Pool({ connectionString: installation.databaseUrl, max: WRITERS });
  const reader = await connect(installation.databaseUrl);
  const holder = await connect(installation.databaseUrl);
  await untilSequenced(reader);
  const watched = await watch(reader, { nats, stream: streamOf(installation) });
  try {
    const load = (perSecond: number, seconds: number) => writeSteadily(writers, watched, perSecond, seconds);
    await load(200, 3);
    const isOrdinaryMet = await inRounds(ORDINARY, () => load(500, SECONDS));
    const isOpenMet = await inRounds(BEHIND_AN_OPEN_ONE, async () => {
      await openTransaction(holder);
      const delays = await load(1_000, OPEN_SECONDS);
      await holder.query('commit');
      return delays;
    });
    return isOrdinaryMet && isOpenMet;
  } finally {
    watched.stop();
    await sequencer.stop();
    await Promise.all([writers, reader, holder].map((client) => client.end()));
    await nats.close();
    installation.remove();
  }
}

function streamOf({ stream }: Installation): Linked['stream'] {
  return { urls: [endpoints().natsUrl], name: stream, region: 'eu', replicas: 1 };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function inRounds(limit: Limit, measure: () => Promise<readonly number[]>): Promise<boolean> {
  const delays: Delay[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    delays.push(
      await untilQuiet(
        serviceRoots(),
        async () => delayOf(await measure()),
        ({ p50, p99 }, others) =>
          print(`${limit.name}  round ${round}  p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  ${others}`),
      ),
    );
  }
  const p50 = median(delays.map((delay) => delay.p50));
  const p99 = median(delays.map((delay) => delay.p99));
  print(JSON.stringify({ name: `sequencing-delay: ${limit.name}`, p50: round2(p50), p99: round2(p99) }));
  return p50 <= limit.p50 && p99 <= limit.p99;
}

function delayOf(delays: readonly number[]): Delay {
  const sorted = delays.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}

interface Watched {
  /** Resolves with the time at which an entry was first read in the order. */
  seen(id: string): Promise<number>;
  poke(): void;
  stop(): void;
}

/** Reads what follows in the ledger whenever a pass is announced, as a processor does. */
async function watch(reader: pg.Client, linked: Linked): Promise<Watched> {
  const waiting = new Map<string, (at: number) => void>();
  const heads = await reader.query<{ lane: number; position: string }>('select lane, position from lane_head');
  const reached = new Map(heads.rows.map(({ lane, position }) => [lane, Number(position)]));
  let reading = Promise.resolve();
  const stop = hearLanes({ ...linked, log: createLogger('silent') }, (lanes) => {
    reading = reading.then(async () => {
      const from = lanes.map(({ lane }) => reached.get(lane) ?? 0);
      const { rows } = await reader.query<{ entry_id: string }>({
        name: 'read_next',
        text: `select entry_id from unnest($1::smallint[], $2::bigint[]) as next (lane, position)
          cross join lateral (
            select entry_id from ledger where ledger.lane = next.lane and ledger.position > next.position
          ) as entry`,
        values: [lanes.map(({ lane }) => lane), from],
      });
      const at = performance.now();
      for (const { lane, position } of lanes) reached.set(lane, position);
      for (const { entry_id } of rows) waiting.get(entry_id)?.(at);
    });
  });
  return {
    seen: (id) =>
      new Promise((resolve) => {
        waiting.set(id, (at) => {
          waiting.delete(id);
          resolve(at);
        });
      }),
    poke: createPoke({ current: () => linked }),
    stop,
  };
}

const INSERT = {
  name: 'write_entry',
  text: `insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, payload, nonce, payload_digest)
    select id, $2::uuid, now(), 'flow.updated', 1, 'system', 'bench', 'flow', gen_random_uuid(), 1,
      '{"name":"bench"}', sha256(uuid_send($2::uuid)), sha256(uuid_send($2::uuid))
    from bench_org where n = $1`,
};

/** Begins each write at its time, whatever became of the others, and returns how long each took to be seen. */
async function writeSteadily(
  writers: pg.Pool,
  watched: Watched,
  perSecond: number,
  seconds: number,
): Promise<number[]> {
  const started = performance.now();
  const delays: Promise<number>[] = [];
  for (let n = 0; n < perSecond * seconds; n++) {
    const ahead = started + (n / perSecond) * 1_000 - performance.now();
    if (ahead > 1) await pause(ahead);
    delays.push(writeOne(writers, watched));
  }
  return Promise.race([
    Promise.all(delays),
    pause((seconds + 60) * 1_000, undefined, { ref: false }).then(() =>
      Promise.reject(new Error('entries were not sequenced within a minute')),
    ),
  ]);
}

async function writeOne(writers: pg.Pool, watched: Watched): Promise<number> {
  const id = crypto.randomUUID();
  const seen = watched.seen(id);
  await writers.query({ ...INSERT, values: [1 + Math.floor(Math.random() * ORGS), id] });
  const committed = performance.now();
  watched.poke();
  return (await seen) - committed;
}

/** One that has written, so that its number stays a gap. */
async function openTransaction(holder: pg.Client): Promise<void> {
  await holder.query('begin');
  await holder.query('set local idle_in_transaction_session_timeout = 0');
  await holder.query({ ...INSERT, values: [1, crypto.randomUUID()] });
}
