import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { originHash, parseCosignatures, parseNote, parseVerifierKey, verifyNote } from '@waymark/transparency';
import { expect, it } from 'vitest';
import { findFreePort } from '../../../../tools/services/port.ts';
import { isFull } from '../../../../tools/test-size.ts';
import { givenLog, type TestLog } from '../given/ledger-log.ts';
import { runCommand, startServer } from './processes.ts';

const KILLS = isFull ? 60 : 8;

/** A witness as an operator sets it up: without PostgreSQL, and without any other setting of the server. */
async function givenWitness(log: TestLog) {
  const directory = mkdtempSync(join(tmpdir(), 'witness-'));
  const keyFile = join(directory, 'witness.key');
  const generated = await runCommand(['witness', 'key', keyFile, '--name', 'witness.example.com'], {});
  expect(generated).toMatchObject({ code: 0, stderr: '' });
  writeFileSync(join(directory, 'logs.policy'), `log ${log.verifierKey}\nquorum none\n`);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    WAYMARK_WITNESS_KEY_FILE: keyFile,
    WAYMARK_WITNESS_POLICY: join(directory, 'logs.policy'),
    WAYMARK_WITNESS_STATE: join(directory, 'state'),
    WAYMARK_PORT: `${port}`,
  };
  return {
    url,
    env,
    keyFile,
    verifierKey: generated.stdout.trim(),
    start: () => startServer(['witness'], env, () => isServing(url)),
    async add(body: string): Promise<{ status: number; body: string } | undefined> {
      try {
        const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
        return { status: response.status, body: await response.text() };
      } catch {
        return undefined;
      }
    },
    async size(): Promise<number> {
      const response = await fetch(`${url}/${originHash(log.origin)}/checkpoint`);
      return response.status === 404 ? 0 : Number((await response.text()).split('\n')[1]);
    },
  };
}

async function isServing(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

it('a witness that is killed at any moment never goes back behind what it cosigned', async () => {
  const log = await givenLog();
  const witness = await givenWitness(log);
  let cosigned = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await witness.start();
    const begun = await witness.size();
    expect(begun).toBeGreaterThanOrEqual(cosigned);
    if (begun > 0) {
      // What was cosigned before stays the only history.
      const fork = await log.forkedAt(begun - 1).request(begun, begun + 1);
      expect(await witness.add(fork)).toMatchObject({ status: 422 });
    }
    const killed = sleep((kill * 37) % 150).then(() => server.kill());
    for (let size = begun; server.isRunning(); size++) {
      const answer = await witness.add(await log.request(size, size + 1));
      if (answer === undefined) break;
      expect(answer.status).toBe(200);
      const note = parseNote(await log.checkpoint(size + 1));
      const signatures = parseCosignatures(answer.body);
      const { verified } = await verifyNote({ ...note, signatures }, [parseVerifierKey(witness.verifierKey)]);
      expect(verified).toHaveLength(1);
      cosigned = size + 1;
    }
    await killed;
  }
  expect(cosigned).toBeGreaterThan(0);
}, 300_000);

it('a key is generated once, for its owner only, and keeps its name', async () => {
  const { keyFile, verifierKey } = await givenWitness(await givenLog());
  const key = readFileSync(keyFile, 'utf8');
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  const named = (name: string) => runCommand(['witness', 'key', keyFile, '--name', name], {});
  expect(await named('witness.example.com')).toMatchObject({ code: 0, stdout: `${verifierKey}\n` });
  expect(await named('other.example.com')).toMatchObject({
    code: 1,
    stderr: `${keyFile} has the key of 'witness.example.com'\n`,
  });
  expect(readFileSync(keyFile, 'utf8')).toBe(key);
});

it('says everything that is wrong with its settings, and exits with 78', async () => {
  expect(await runCommand(['witness'], { WAYMARK_PORT: 'high' })).toMatchObject({
    code: 78,
    stderr: expect.stringMatching(
      /WAYMARK_WITNESS_KEY is required\n {2}WAYMARK_WITNESS_POLICY is required\n {2}WAYMARK_WITNESS_STATE is required\n {2}WAYMARK_PORT /,
    ),
  });
  const log = await givenLog();
  const { env } = await givenWitness(log);
  writeFileSync(env.WAYMARK_WITNESS_POLICY, 'quorum none\n');
  expect(await runCommand(['witness'], env)).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('WAYMARK_WITNESS_POLICY is wrong: '),
  });
  const { WAYMARK_WITNESS_KEY_FILE: _, ...others } = env;
  expect(await runCommand(['witness'], { ...others, WAYMARK_WITNESS_KEY: 'secret' })).toMatchObject({
    code: 78,
    stderr: expect.not.stringContaining('secret'),
  });
});
