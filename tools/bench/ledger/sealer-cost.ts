import { join } from 'node:path';
import pg from 'pg';
import { attestationPost, makeTrails } from '../attest.ts';
import { makeKey, type Running, serviceRoots, startNode } from '../installation.ts';
import { untilSequenced } from '../journal/until-sequenced.ts';
import { cpuSecondsOf } from '../machine.ts';
import { compare } from '../rounds.ts';
import { ROUNDS, SECONDS } from '../settings.ts';
import { runWrk, wrkScript } from '../wrk.ts';
import { installSigned, type SignedInstallation } from './signed-installation.ts';

const CONNECTIONS = 32;
const FLOOR = 0.95;

/** What was written without a sealer is sealed before, and not while the load is measured. */
async function startSealed(installation: SignedInstallation, db: pg.Client): Promise<Running> {
  const sealer = await installation.startSealer();
  await untilSealed(db);
  return sealer;
}

async function untilSealed(db: pg.Client): Promise<void> {
  for (let attempt = 0; attempt < 6_000; attempt++) {
    const { rows } = await db.query<{ done: boolean }>(
      'select (select count(*) from journal) = (select coalesce(sum(size), 0) from org_log) as done',
    );
    if (rows[0]?.done) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the sealer did not catch up');
}

/**
 * Attestations for a second of CPU, of server, PostgreSQL, and worker together, until all are sequenced and sealed, against
 * the same with a sequencer only. Unlike a rate, it does not depend on what else the machine does.
 */
export async function benchSealerCost(): Promise<boolean> {
  const installation = await installSigned();
  const key = makeKey(installation);
  await makeTrails(installation, key);
  const api = await installation.start('api');
  const db = new pg.Client({ connectionString: installation.databaseUrl });
  await db.connect();
  const script = wrkScript('sealer-cost', key, attestationPost());
  const loadWith = async (started: Promise<Running>, untilDone: (db: pg.Client) => Promise<unknown>) => {
    const worker = await started;
    await untilSequenced(db);
    const roots = [...serviceRoots(), api.pid, worker.pid];
    const before = cpuSecondsOf(roots);
    const rate = runWrk(installation.url, script, CONNECTIONS, SECONDS);
    await untilDone(db);
    const spent = cpuSecondsOf(roots) - before;
    await worker.stop();
    return (rate * SECONDS) / spent;
  };
  const alone = join(import.meta.dirname, '../journal/sequencer-alone.ts');
  try {
    const ratio = await compare({
      name: 'sealer-cost: attestations for a second of CPU',
      rounds: ROUNDS,
      roots: serviceRoots(),
      ours: { name: 'with sealer', measure: () => loadWith(startSealed(installation, db), untilSealed) },
      bare: { name: 'sequencer only', measure: () => loadWith(startNode([alone], installation.env), untilSequenced) },
    });
    return ratio >= FLOOR;
  } finally {
    await db.end();
    await api.stop();
    installation.remove();
  }
}
