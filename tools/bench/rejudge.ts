import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';
import { endpoints } from '../services/endpoints.ts';
import { percentile } from './evidence/clients.ts';
import { type Installation, install, makeKey, serviceRoots } from './installation.ts';
import { buildFleet, type Fleet } from './rejudge/fleet.ts';
import { timeFlip } from './rejudge/flip.ts';
import { startTraffic } from './rejudge/traffic.ts';
import { median, print, untilQuiet } from './rounds.ts';
import { ROUNDS, setting } from './settings.ts';

const ENVIRONMENTS = setting('BENCH_ENVIRONMENTS', 500);
const ARTIFACTS = setting('BENCH_ARTIFACTS', 50);
const WORKERS = setting('BENCH_WORKERS', 2);
const CEILING_MS = 2_000;

/**
 * From the acknowledgement of one attestation until every environment that runs its artifact has a snapshot that says
 * so, while reports and other evidence arrive.
 */
export async function benchRejudge(): Promise<boolean> {
  const installation = await install();
  const key = makeKey(installation);
  const db = new pg.Client({ connectionString: installation.databaseUrl });
  await db.connect();
  const servers = [await installation.start('api')];
  try {
    const size = { environments: ENVIRONMENTS, artifacts: ARTIFACTS, bystanders: 10 };
    const fleet = await buildFleet({ url: installation.url, org: 'acme', key }, size);
    installation.sql('vacuum analyze');
    for (let i = 0; i < WORKERS; i++) servers.push(await installation.start('worker'));
    await untilRested(db);
    return await measure(installation, db, fleet);
  } finally {
    for (const server of servers) await server.stop();
    await db.end();
    await deleteStream(installation.stream);
    installation.remove();
  }
}

async function measure(installation: Installation, db: pg.Client, fleet: Fleet): Promise<boolean> {
  const traffic = await startTraffic(fleet);
  const started = performance.now();
  let isCompliant = false;
  const flip = () => {
    isCompliant = !isCompliant;
    return timeFlip(
      () => fleet.review(isCompliant),
      () => countEnvironments(db, isCompliant),
      ENVIRONMENTS,
    );
  };
  await flip();
  const all: number[][] = [];
  print('round        p50        p99       last  others');
  for (let round = 1; round <= ROUNDS; round++) {
    const taken = await untilQuiet(serviceRoots(), flip, (taken, others) => print(lineOf(round, taken, others)));
    all.push(taken);
  }
  const perSecond = traffic.calls / ((performance.now() - started) / 1_000);
  await traffic.stop();
  await untilRested(db);
  const pooled = all.flat().sort((a, b) => a - b);
  const p99 = percentile(pooled, 0.99);
  print(
    `${ENVIRONMENTS} environments of ${ARTIFACTS} artifacts, ${WORKERS} workers, ${perSecond.toFixed(0)} other calls/s`,
  );
  print(snapshotsIn(installation));
  print(
    JSON.stringify({
      name: 'rejudge',
      p50_ms: Math.round(percentile(pooled, 0.5)),
      p99_ms: Math.round(p99),
      last_ms: Math.round(median(all.map((taken) => taken.at(-1) ?? Number.NaN))),
    }),
  );
  return p99 <= CEILING_MS;
}

function lineOf(round: number, taken: readonly number[], others: string): string {
  const figures = [percentile(taken, 0.5), percentile(taken, 0.99), taken.at(-1) ?? Number.NaN];
  return `${String(round).padStart(5)}  ${figures.map((ms) => `${ms.toFixed(0)} ms`.padStart(9)).join('  ')}  ${others}`;
}

async function countEnvironments(db: pg.Client, isCompliant: boolean): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from environment where name like 'fleet-%' and compliance = $1`,
    [isCompliant ? 'compliant' : 'non-compliant'],
  );
  return rows[0]?.count ?? 0;
}

/** Waits until everything is processed, and no environment waits for re-evaluation. */
async function untilRested(db: pg.Client): Promise<void> {
  for (let attempt = 0; attempt < 3_000; attempt++) {
    const { rows } = await db.query<{ rested: boolean }>(`
      select not exists (select from environment_reevaluation) and not exists (
        select from processor_position as reached join lane_head as head using (lane)
        where head.position > reached.position
      ) and (select count(*) from journal where seq > (select high_water from sequencer)) = 0 and not exists (
        select from journal_gap join journal on seq between from_seq and to_seq
      ) as rested`);
    if (rows[0]?.rested) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the workers did not come to rest');
}

/** Every change of the verdict made one snapshot in each environment, or the bench is invalid. */
function snapshotsIn(installation: Installation): string {
  const [fewest, most, all] = installation
    .sql(`
      select min(made), max(made), sum(made) from (
        select count(*) filter (where trigger = 'evidence') as made from environment
        join snapshot on snapshot.environment_id = environment.id
        where name like 'fleet-%' group by environment.id
      ) as made`)
    .split('|')
    .map(Number);
  if (fewest !== most) throw new Error(`of the environments some have ${fewest} snapshots, others ${most}`);
  return `${fewest} snapshots in each, ${all} in all`;
}

async function deleteStream(name: string): Promise<void> {
  const nats = await connect({ servers: endpoints().natsUrl });
  const manager = await jetstreamManager(nats);
  await manager.streams.delete(name).catch(() => undefined);
  await nats.close();
}
