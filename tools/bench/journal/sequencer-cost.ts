import { join } from 'node:path';
import pg from 'pg';
import { attestationPost, makeTrails } from '../attest.ts';
import { type Installation, install, makeKey, serviceRoots, startNode } from '../installation.ts';
import { compare, print } from '../rounds.ts';
import { ROUNDS, SECONDS } from '../settings.ts';
import { flowPut } from '../write.ts';
import { runWrk, type WrkRequest, wrkScript } from '../wrk.ts';
import { untilSequenced } from './until-sequenced.ts';

const CONNECTIONS = 32;
const FLOOR = 0.95;

/** The rates of two hot writes while a sequencer keeps up, against the rates while nobody sequences. */
export async function benchSequencerCost(): Promise<boolean> {
  const installation = await install();
  const key = makeKey(installation);
  await makeTrails(installation, key);
  const api = await installation.start('api');
  const db = new pg.Client({ connectionString: installation.databaseUrl });
  await db.connect();
  try {
    const write = await measure('sequencer-cost: write', flowPut(), { installation, key, db });
    const attest = await measure('sequencer-cost: attest', attestationPost(), { installation, key, db });
    return Math.min(write, attest) >= FLOOR;
  } finally {
    await db.end();
    await api.stop();
    installation.remove();
  }
}

interface Parts {
  readonly installation: Installation;
  readonly key: string;
  readonly db: pg.Client;
}

async function measure(name: string, request: WrkRequest, { installation, key, db }: Parts): Promise<number> {
  const script = wrkScript('sequencer-cost', key, request);
  const load = async () => runWrk(installation.url, script, CONNECTIONS, SECONDS);
  print(name);
  return compare({
    name,
    rounds: ROUNDS,
    roots: serviceRoots(),
    ours: {
      name: 'with sequencer',
      async measure() {
        const sequencer = await startNode([join(import.meta.dirname, 'sequencer-alone.ts')], installation.env);
        await untilSequenced(db);
        const rate = await load();
        await sequencer.stop();
        return rate;
      },
    },
    bare: { name: 'without', measure: load },
  });
}
