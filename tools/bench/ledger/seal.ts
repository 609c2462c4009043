import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { loadConfig } from '../../../apps/server/src/config/env.ts';
import { openObjects } from '../../../apps/server/src/platform/blobs/open-objects.ts';
import { openDb } from '../../../apps/server/src/platform/db/db.ts';
import { planOnce } from '../../../apps/server/src/platform/journal/leader.ts';
import { sequenceAll } from '../../../apps/server/src/platform/journal/pass.ts';
import { parseLogKeys } from '../../../apps/server/src/platform/ledger/log-keys.ts';
import { sealAll } from '../../../apps/server/src/platform/ledger/seal-all.ts';
import { createLogger } from '../../../apps/server/src/platform/log.ts';
import { serviceRoots } from '../installation.ts';
import { withForeignLoad } from '../machine.ts';
import { median, print } from '../rounds.ts';
import { setting } from '../settings.ts';
import { insertOf, installSigned, makeOrgs, type SignedInstallation } from './signed-installation.ts';

const ORGS = setting('BENCH_ORGS', 1_000);
const ENTRIES = setting('BENCH_ENTRIES', 50_000);
const ROUNDS = setting('BENCH_ROUNDS', 5);
const SECONDS = setting('BENCH_SECONDS', 20);
const PER_SECOND = setting('BENCH_PER_SECOND', 5_000);
const RATE = 10_000;
const BEHIND_MS = 3_000;
const BATCH_MS = 50;

/**
 * Sealing and signing entries of a thousand orgs that wait, and how far the sealer is behind the sequencer while 5,000 are
 * written each second.
 */
export async function benchSeal(): Promise<boolean> {
  const installation = await installSigned();
  const client = new pg.Client({ connectionString: installation.databaseUrl });
  await client.connect();
  makeOrgs(installation, ORGS);
  try {
    const rate = await measureRate(installation, client);
    const behind = await measureBehind(installation, client);
    print(JSON.stringify({ name: 'seal', rate: Math.round(rate), behind_ms: Math.round(behind) }));
    return rate >= RATE && behind <= BEHIND_MS;
  } finally {
    await client.end();
    installation.remove();
  }
}

async function measureRate({ env }: SignedInstallation, client: pg.Client): Promise<number> {
  const { blobs, database, ledger } = loadConfig(env);
  const log = createLogger('silent');
  const db = openDb({ ...database, poolSize: 1, statementTimeoutMs: 600_000 }, log);
  const parts = { db, log, objects: openObjects(blobs), name: ledger.name, keys: await parseLogKeys(ledger.keys) };
  await planOnce(db);
  const rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await client.query({ ...insertOf(ENTRIES, ORGS), values: [round * ENTRIES] });
    await sequenceAll(db);
    await client.query('analyze ledger');
    const measure = async () => {
      const started = performance.now();
      await sealAll(parts);
      return ENTRIES / ((performance.now() - started) / 1_000);
    };
    // The first round makes the logs, and is not counted.
    if (round === 0) await measure();
    else {
      // What is sealed cannot be sealed again, so a round with others on the machine counts as well.
      const { result: rate, foreign } = await withForeignLoad(serviceRoots(), measure);
      print(`seal  round ${round}  ${Math.round(rate)} entries a second  ${(foreign * 100).toFixed(0)} %`);
      rates.push(rate);
    }
  }
  await db.destroy();
  return median(rates);
}

/** The longest time from when entries had been sequenced until as many had been sealed. */
async function measureBehind(installation: SignedInstallation, client: pg.Client): Promise<number> {
  const reader = new pg.Client({ connectionString: installation.databaseUrl });
  await reader.connect();
  const sealer = await installation.startSealer();
  const samples: { at: number; sequenced: number; sealed: number }[] = [];
  let isWriting = true;
  const writing = writeSteadily(client).finally(() => {
    isWriting = false;
  });
  const until = performance.now() + (SECONDS + 60) * 1_000;
  for (let isDone = false; !isDone && performance.now() < until; await pause(20)) {
    const { rows } = await reader.query<{ sequenced: string; sealed: string }>(
      'select sequenced, sealed from sequencer, sealer',
    );
    const [sequenced, sealed] = [Number(rows[0]?.sequenced), Number(rows[0]?.sealed)];
    samples.push({ at: performance.now(), sequenced, sealed });
    isDone = !isWriting && sealed >= sequenced;
  }
  await writing;
  await sealer.stop();
  await reader.end();
  return longestDelay(samples);
}

function longestDelay(samples: readonly { at: number; sequenced: number; sealed: number }[]): number {
  let [longest, reached] = [0, 0];
  for (const { at, sequenced } of samples) {
    while (reached < samples.length && (samples[reached]?.sealed ?? 0) < sequenced) reached++;
    longest = Math.max(longest, (samples[reached]?.at ?? Number.POSITIVE_INFINITY) - at);
  }
  return longest;
}

async function writeSteadily(client: pg.Client): Promise<void> {
  const entries = (PER_SECOND * BATCH_MS) / 1_000;
  const started = performance.now();
  for (let batch = 0; batch < (SECONDS * 1_000) / BATCH_MS; batch++) {
    const ahead = started + batch * BATCH_MS - performance.now();
    if (ahead > 1) await pause(ahead);
    await client.query({ ...insertOf(entries, ORGS), values: [batch * entries] });
  }
}
