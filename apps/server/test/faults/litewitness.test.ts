import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  COSIGNATURE,
  emptyRoot,
  formatVerifierKey,
  parsePolicy,
  parseSignedCheckpoint,
  regionOrigin,
  signingKey,
  verifyCheckpoint,
} from '@waymark/transparency';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { buildLitewitness } from '../../../../tools/services/litewitness.ts';
import { findFreePort } from '../../../../tools/services/port.ts';
import { verifierKeyTexts } from '../../src/platform/ledger/log-keys.ts';
import { collectCosignatures } from '../../src/platform/ledger/witnesses/collector.ts';
import { createGuardedFetch } from '../../src/platform/outbound/guarded-fetch.ts';
import { systemClock } from '../../src/platform/time.ts';
import { givenEntries } from '../given/proofs.ts';
import { givenSealedLedger, LOG_NAME } from '../given/sealed.ts';
import { startSshAgent } from '../given/ssh-agent.ts';
import { noLog, startApi } from '../harness.ts';

const NAME = 'litewitness.example/w';
const SEED = Buffer.alloc(32, 77);

const api = await startApi();
const ledger = await givenSealedLedger(api.db);
const ended: (() => void)[] = [];
afterAll(() => {
  for (const end of ended) end();
});
let url = '';

/** Logs are added as its own `witnessctl add-log` and `add-key` do, which need packages that Waymark does not. */
function addLog(database: string, origin: string, keys: readonly string[]): void {
  const db = new DatabaseSync(database, { timeout: 10_000 });
  const root = Buffer.from(emptyRoot()).toString('base64');
  db.prepare('insert into log (origin, tree_size, tree_hash) values (?, 0, ?)').run(origin, root);
  for (const key of keys) db.prepare('insert into key (origin, key) values (?, ?)').run(origin, key);
  db.close();
}

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'lw-'));
  const [socket, database] = [join(directory, 'agent'), join(directory, 'db')];
  const agent = await startSshAgent(socket, SEED);
  const port = await findFreePort();
  const settings = [`-name=${NAME}`, `-db=${database}`, `-ssh-agent=${socket}`, `-key=${agent.fingerprint}`];
  const child = spawn(buildLitewitness(), [...settings, `-listen=127.0.0.1:${port}`], { stdio: 'pipe' });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  ended.push(agent.close, () => void child.kill('SIGKILL'));
  url = `http://127.0.0.1:${port}`;
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(output);
      await fetch(url);
    },
    { timeout: 60_000, interval: 50 },
  );
  const origin = regionOrigin(LOG_NAME, 1);
  addLog(database, origin, verifierKeyTexts(origin, ledger.keys));
});

async function sealMore(count: number) {
  await givenEntries(api.db, [api.org.id], count);
  await ledger.seal();
  const { rows } = await sql<{ number: number; size: number; note: string }>`
    select number, size, note from region_checkpoint order by number desc limit 1`.execute(api.db);
  if (!rows[0]) throw new Error('no checkpoint');
  return rows[0];
}

it('litewitness, unmodified, cosigns each checkpoint', async () => {
  const verifierKey = formatVerifierKey(await signingKey(NAME, COSIGNATURE, SEED));
  const witness = { name: 'lite', verifierKey, url };
  const lines = `${ledger.policy().replace('quorum none\n', '')}witness lite ${verifierKey}\nquorum lite\n`;
  const outbound = createGuardedFetch({ allowedNetworks: ['127.0.0.0/8'] });
  const ending = new AbortController();
  const { signal } = ending;
  await sealMore(1);
  const collecting = collectCosignatures({
    ...{ db: api.db, witnesses: [witness], outbound, now: systemClock, log: noLog, signal },
  });
  try {
    for (const count of [1, 3, 10]) {
      const checkpoint = await sealMore(count);
      const state = async () => {
        const { rows } = await sql`select size, error, contradicts from witness`.execute(api.db);
        return rows[0];
      };
      await expect.poll(state).toMatchObject({ size: checkpoint.size, error: null, contradicts: false });
      const { rows } = await sql<{ line: string }>`
        select line from checkpoint_cosignature where number = ${checkpoint.number}`.execute(api.db);
      const signed = parseSignedCheckpoint(checkpoint.note + rows.map(({ line }) => line).join(''));
      expect(await verifyCheckpoint(signed, parsePolicy(lines))).toMatchObject({
        ok: true,
        cosigned: [{ witness: 'lite' }],
      });
    }
    // As after an answer that was lost: it says which size it has, and cosigns the same checkpoint again.
    await sql`update witness set size = 0`.execute(api.db);
    const again = async () => (await sql<{ size: number }>`select size from witness`.execute(api.db)).rows[0]?.size;
    await expect.poll(again).toBeGreaterThan(0);
  } finally {
    ending.abort();
    await collecting;
  }
});
