import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { openDb } from '../../src/platform/db/db.ts';
import { findLedgerFaults } from '../given/ledger-faults.ts';
import { noLog } from '../harness.ts';
import { countEntries, findFaults, untilProcessed } from './evidence.ts';
import { givenInstallation, givenOrgs } from './installation.ts';
import { startLoad } from './load.ts';
import type { ServerProcess } from './processes.ts';
import { countCheckpoints, objectsOf, signingEnv, stoppedBecause, untilSigned } from './signed.ts';

const KILLS = isFull ? 300 : 4;

it(`keeps one tree without gap or fork when one of two workers is killed or frozen ${KILLS} times`, async ({
  annotate,
}) => {
  const site = await givenInstallation({ env: await signingEnv() });
  const orgs = await givenOrgs(site.ctx, 6);
  await site.startApi();
  const workers: [ServerProcess, ServerProcess] = [await site.startWorker(), await site.startWorker()];
  const load = startLoad({ url: site.url, orgs, callers: 3 });
  let frozen: ServerProcess | undefined;
  for (let time = 0; time < KILLS; time++) {
    // At any point of sequencing, sealing, signing, and storing, or between two.
    await sleep(Math.floor(Math.random() * 1_500));
    const one = time % 2 === 0 ? 0 : 1;
    if (time % 10 === 3) {
      workers[one].freeze();
      frozen = workers[one];
    } else await workers[one].kill();
    workers[one] = await site.startWorker();
    if (frozen && time % 10 !== 3) {
      // It believes to lead, until PostgreSQL tells it otherwise.
      frozen.thaw();
      await sleep(100);
      await frozen.kill();
      frozen = undefined;
    }
  }
  frozen?.thaw();
  await load.stop();
  await untilProcessed(site.db);
  await untilSigned(site.db);
  await frozen?.stop();

  // Many entries after 300 kills: no autovacuum has counted them yet, and a server's statement may take only so long.
  const unlimited = openDb({ url: site.databaseUrl, poolSize: 1, statementTimeoutMs: 0 }, noLog);
  await sql`analyze flow, journal, ledger`.execute(unlimited);
  expect(await findFaults(unlimited, load.flows)).toEqual([]);
  expect(await findLedgerFaults(unlimited, objectsOf(site))).toEqual([]);
  await unlimited.destroy();
  expect(await stoppedBecause(site.db)).toBeNull();
  const checkpoints = await countCheckpoints(site.db);
  expect(checkpoints).toBeGreaterThan(1);
  await annotate(`${await countEntries(site.db)} entries of 6 orgs, ${checkpoints} checkpoints; ${KILLS} times`);
});
