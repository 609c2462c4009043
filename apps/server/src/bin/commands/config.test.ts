import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COSIGNATURE, formatVerifierKey, signingKey } from '@waymark/transparency';
import { expect, inject, it, onTestFinished } from 'vitest';
import { givenSigstore } from '../../../../../packages/evidence/src/given/sigstore.ts';
import { endpoints } from '../../../../../tools/services/endpoints.ts';
import { createDatabase, dropDatabases } from '../../../test/databases.ts';
import { selfSigned } from '../../../test/given/certificate.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { commandsOn } from '../../../test/run-command.ts';

const { url } = await createDatabase(inject('templateDatabase'));
const directory = mkdtempSync(join(tmpdir(), 'config-'));
const WITNESS = formatVerifierKey(await signingKey('one.witness.example.com', COSIGNATURE, Buffer.alloc(32, 1)));

function writeCertificate(until?: string) {
  const files = { WAYMARK_TLS_CERT: join(directory, 'tls.crt'), WAYMARK_TLS_KEY: join(directory, 'tls.key') };
  const { cert, key } = selfSigned('waymark.example.com', until);
  writeFileSync(files.WAYMARK_TLS_CERT, cert);
  writeFileSync(files.WAYMARK_TLS_KEY, key);
  return files;
}

it('says what was found', async () => {
  const trustedRoot = join(directory, 'trusted_root.json');
  writeFileSync(trustedRoot, JSON.stringify((await givenSigstore()).root));
  const mail = await startMailServer();
  const run = commandsOn(url, 'https://waymark.example.com', {
    WAYMARK_NATS_URL: endpoints().natsUrl,
    WAYMARK_BLOB_DIR: directory,
    WAYMARK_SMTP_URL: mail.url,
    WAYMARK_SECRET_KEY: Buffer.alloc(32).toString('base64'),
    WAYMARK_CHROMIUM: process.execPath,
    WAYMARK_CHROMIUM_SANDBOX: 'off',
    WAYMARK_SIGSTORE_TRUSTED_ROOT: trustedRoot,
    WAYMARK_LEDGER_WITNESSES: `witness one ${WITNESS} https://one.witness.example.com\nquorum one\n`,
    WAYMARK_LEDGER_TIME_STAMP_URL: 'https://tsa.example.com',
    ...writeCertificate(),
    WAYMARK_LEDGER_TIME_STAMP_CA_FILE: join(directory, 'tls.crt'),
  });
  const { code, out } = await run('config', 'check');
  expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
    expect.stringMatching(/^ok {6}PostgreSQL {6}15\.\d+ .*database '.+'$/),
    "ok      database role   'waymark' can read and write every table",
    'ok      migrations      the database is up to date',
    `ok      evidence files  directory ${directory}`,
    expect.stringMatching(/^ok {6}NATS {12}2\.\d+\.\d+, with JetStream$/),
    'ok      mail            sent as Waymark <waymark@waymark.example.com>',
    'ok      secret key      one key',
    `ok      Chromium        ${process.execPath}`,
    `ok      Sigstore root   ${trustedRoot}`,
    'ok      witnesses       one; quorum one',
    'ok      time stamps     https://tsa.example.com, one root certificate',
    'ok      public URL      https://waymark.example.com',
    `ok      certificate     ${directory}/tls.crt, for waymark.example.com, until 2049-12-31`,
  ]);
  expect(code).toBe(0);
});

it('says what is wrong, and what to do', async () => {
  const empty = await createDatabase();
  onTestFinished(() => dropDatabases(empty.name));
  const run = commandsOn(empty.url, 'http://waymark.example.com', {
    WAYMARK_NATS_URL: 'nats://127.0.0.1:1',
    WAYMARK_BLOB_DIR: `${import.meta.filename}/inside`,
    WAYMARK_SMTP_URL: 'smtp://127.0.0.1:1',
    WAYMARK_CHROMIUM: '/nowhere/chromium',
    WAYMARK_SIGSTORE_TRUSTED_ROOT: '/nowhere/trusted_root.json',
    ...writeCertificate('210101000000Z'),
  });
  const { code, out } = await run('config', 'check');
  expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
    expect.stringMatching(/^ok {6}PostgreSQL/),
    expect.stringMatching(/^ok {6}database role/),
    expect.stringMatching(/^failed {2}migrations {6}[1-9]\d+ migrations are missing: run `waymark-server migrate`$/),
    expect.stringMatching(/^failed {2}evidence files {2}The evidence store cannot be read and written: ENOTDIR/),
    expect.stringMatching(/^failed {2}NATS {12}.*(refused|ECONNREFUSED)/i),
    expect.stringMatching(/^failed {2}mail {12}.*ECONNREFUSED/),
    'none    secret key      not set: secrets of webhooks and identity providers cannot be stored',
    expect.stringMatching(/^failed {2}Chromium {8}.*ENOENT/),
    expect.stringMatching(/^failed {2}Sigstore root {3}ENOENT.*: set WAYMARK_SIGSTORE_TRUSTED_ROOT to /),
    'none    witnesses       not set: nobody else confirms the checkpoints of the ledger',
    'none    time stamps     not set: no authority confirms when checkpoints existed',
    'failed  public URL      http://waymark.example.com is not https: serve it over TLS, and set WAYMARK_PUBLIC_URL to its https URL',
    'failed  certificate     the certificate expired on 2021-01-01T00:00:00.000Z: renew the certificate, or fix WAYMARK_TLS_CERT and WAYMARK_TLS_KEY',
  ]);
  expect(code).toBe(1);
});

it('says that a file is not a Sigstore root', async () => {
  const file = join(directory, 'other.json');
  writeFileSync(file, '{}');
  const settings = { WAYMARK_BLOB_DIR: directory, WAYMARK_SIGSTORE_TRUSTED_ROOT: file };
  const { code, out } = await commandsOn(url, 'https://waymark.example.com', settings)('config', 'check');
  expect(out).toContain(`failed  Sigstore root   ${file} is not a Sigstore trusted root: `);
  expect(code).toBe(1);
});
