import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSigningKey, parseVerifierKey } from '@waymark/transparency';
import { afterAll, expect, it } from 'vitest';
import { givenSealedLedger, LOG_NAME } from '../../../test/given/sealed.ts';
import { startApi } from '../../../test/harness.ts';
import { commandsOn } from '../../../test/run-command.ts';
import { directoryObjects } from '../../platform/blobs/directory-objects.ts';
import { logKeyOf } from '../../platform/ledger/log-keys.ts';
import { loadSealer } from '../../platform/ledger/sealer-state.ts';

const api = await startApi();
const root = mkdtempSync(join(tmpdir(), 'ledger-command-'));
afterAll(() => rmSync(root, { recursive: true }));
const keyFile = join(root, 'ledger-key');
const settings = { WAYMARK_LEDGER_NAME: LOG_NAME, WAYMARK_LEDGER_KEY_FILE: keyFile, WAYMARK_BLOB_DIR: root };
const run = commandsOn(api.url, 'http://waymark.test', settings);

it('generates a key once, for its owner only', async () => {
  const made = await run('ledger', 'key', keyFile);
  expect(made).toMatchObject({ code: 0, err: '' });
  const key = await parseSigningKey(readFileSync(keyFile, 'utf8').trim());
  expect(parseVerifierKey(made.out.trim()).publicKey).toEqual(key.publicKey);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(await run('ledger', 'key', keyFile)).toEqual(made);
});

it('begins an epoch after signing stopped, or when told to', async () => {
  const objects = directoryObjects({ root });
  const keys = [logKeyOf(await parseSigningKey(readFileSync(keyFile, 'utf8').trim()))];
  const ledger = await givenSealedLedger(api.db, { objects, keys });
  const command = ['ledger', 'epoch', '--reason', 'Tried in a test'];
  expect(await run(...command, '--while-signing')).toMatchObject({
    code: 1,
    err: expect.stringContaining('No checkpoint'),
  });
  await ledger.seal();
  expect(await run(...command)).toMatchObject({ code: 1, err: expect.stringContaining('Signing has not stopped') });
  expect(await run(...command, '--while-signing')).toEqual({
    code: 0,
    out: expect.stringContaining(`Epoch 2 began: ${LOG_NAME}/2\n`),
    err: '',
  });
  expect(await loadSealer(api.db)).toMatchObject({ epoch: 2, stoppedBecause: null });
});
