import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, request as forward, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COSIGNATURE, formatVerifierKey, signingKey } from '@waymark/transparency';
import { sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { afterAll, expect, inject, it, onTestFinished } from 'vitest';
import { natsServer } from '../../../../../tools/services/install.ts';
import { findFreePort } from '../../../../../tools/services/port.ts';
import { startPostgres, stopPostgres } from '../../../../../tools/services/postgres.ts';
import { createDatabase, dropDatabases, withAdmin } from '../../../test/databases.ts';
import { givenInstallation, givenOrg, readiness } from '../../../test/faults/installation.ts';
import { putFlow } from '../../../test/faults/load.ts';
import { givenPostgres } from '../../../test/faults/private-services.ts';
import { startServer } from '../../../test/faults/processes.ts';
import { clockAhead } from '../../../test/given/clock-ahead.ts';
import { noLog } from '../../../test/harness.ts';
import { commandsOn } from '../../../test/run-command.ts';
import { openDb } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import { openSecretBox, secretKeyId } from '../../platform/secret-box.ts';

/** An installation that works: each test breaks one thing. */
const site = await givenInstallation({ atEnd: afterAll });
await site.startApi();
await site.startWorker();
const org = await givenOrg(site.ctx, 'acme');

type Found = Record<string, { state: string; text: string; found?: string; fix?: string }>;

async function diagnose(
  env: Record<string, string> = {},
): Promise<{ code: number | null; found: Found; last: string }> {
  const settings = { ...site.env, ...env };
  const run = commandsOn(site.databaseUrl, site.url, settings);
  const { code, out, err } = await run('doctor');
  expect(err).toBe('');
  const found: Found = {};
  let current = '';
  const [lines = '', last = ''] = out.split('\n\n');
  for (const line of lines.split('\n')) {
    const [state, name, text] = [line.slice(0, 8).trim(), line.slice(8, 24).trim(), line.slice(24)];
    if (state !== '') {
      current = name;
      found[name] = { state, text };
    } else if (name === 'found') Object.assign(found[current] ?? {}, { found: text });
    else if (name === 'fix') Object.assign(found[current] ?? {}, { fix: text });
  }
  return { code, found, last };
}

/** Breaks one thing, and expects one fault. */
async function expectFault(name: string, env: Record<string, string>, fault: Found[string] | object): Promise<void> {
  const { code, found, last } = await diagnose(env);
  expect(found[name]).toMatchObject({ state: 'failed', ...fault });
  const others = Object.entries(found).filter(([other, { state }]) => other !== name && state === 'failed');
  expect([code, last, others]).toEqual([1, '1 fault found', []]);
}

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('finds no fault where there is none', async () => {
  const { code, found, last } = await diagnose();
  expect(Object.entries(found).map(([name, { state }]) => [name, state])).toEqual([
    ['PostgreSQL', 'ok'],
    ['database role', 'ok'],
    ['migrations', 'ok'],
    ['evidence files', 'ok'],
    ['NATS', 'ok'],
    ['mail', 'none'],
    ['secret key', 'none'],
    ['Chromium', 'none'],
    ['Sigstore root', 'none'],
    ['witnesses', 'none'],
    ['time stamps', 'none'],
    ['public URL', 'ok'],
    ['certificate', 'none'],
    ['clock', 'ok'],
    ['cluster', 'ok'],
    ['worker', 'ok'],
    ['dead letters', 'ok'],
    ['sealed secrets', 'ok'],
    ['disk space', 'ok'],
    ['cosignatures', 'none'],
    ['stamps', 'none'],
    ['API', 'ok'],
    ['proxy', 'ok'],
  ]);
  expect(found['worker']?.text).toMatch(/^1 alive, /);
  expect([code, last]).toEqual([0, 'No faults found']);
});

it('a witness contradicts the ledger: says that there may be two histories', async () => {
  const key = formatVerifierKey(await signingKey('one.witness.example.com', COSIGNATURE, Buffer.alloc(32, 1)));
  const env = { WAYMARK_LEDGER_WITNESSES: `witness one ${key} https://one.witness.example.com\nquorum one\n` };
  const db = openDb({ url: site.databaseUrl, poolSize: 1, statementTimeoutMs: 10_000 }, noLog);
  onTestFinished(() => db.destroy());
  const problem = 'It has cosigned a checkpoint of 7 leaves, which this log has not signed';
  await sql`
    insert into witness (verifier_key, name, url, failed_at, error, contradicts)
    values (${key}, 'one', 'https://one.witness.example.com', now(), ${problem}, true)`.execute(db);
  await expectFault('cosignatures', env, {
    text: 'A witness contradicts the ledger: there may be two histories',
    found: `one: ${problem}`,
  });
  await sql`delete from witness`.execute(db);
});

it('PostgreSQL does not answer: names the reason once, and skips what needs it', async () => {
  const url = Object.assign(new URL(site.databaseUrl), { port: '1' }).href;
  await expectFault('PostgreSQL', { WAYMARK_DATABASE_URL: url }, { found: 'connect ECONNREFUSED 127.0.0.1:1' });
  const { found } = await diagnose({ WAYMARK_DATABASE_URL: url });
  const skipped = Object.entries(found).filter(([, { state }]) => state === 'skipped');
  expect(skipped.map(([name, { text }]) => `${name} ${text}`)).toEqual([
    'database role needs PostgreSQL',
    'migrations needs database role',
    'clock needs PostgreSQL',
    'cluster needs migrations',
    'worker needs migrations',
    'dead letters needs migrations',
    'sealed secrets needs migrations',
  ]);
});

it('PostgreSQL is a standby', async () => {
  const { cluster, url } = await givenPostgres();
  await stopPostgres(cluster);
  writeFileSync(join(cluster.dir, 'standby.signal'), '');
  await startPostgres(cluster);
  await expectFault('PostgreSQL', { WAYMARK_DATABASE_URL: url }, { found: 'this is a standby' });
});

it('migrations are missing', async () => {
  const empty = await createDatabase();
  onTestFinished(() => dropDatabases(empty.name));
  await expectFault(
    'migrations',
    { WAYMARK_DATABASE_URL: empty.url },
    { found: expect.stringMatching(/^\d+ migrations are missing$/), fix: 'run `waymark-server migrate`' },
  );
});

it('the role of the server lacks privileges', async () => {
  const role = `doctor_${randomBytes(4).toString('hex')}`;
  await withAdmin((client) => client.query(`create role ${role} login`));
  onTestFinished(() => withAdmin(async (client) => void (await client.query(`drop role ${role}`))));
  const url = Object.assign(new URL(site.databaseUrl), { username: role }).href;
  await expectFault(
    'database role',
    { WAYMARK_DATABASE_URL: url },
    { found: expect.stringMatching(`^role '${role}' lacks delete on .*, .* and \\d+ more$`) },
  );
});

it('the clock of this machine is wrong', async () => {
  await expectFault('clock', clockAhead, { found: expect.stringMatching(/^this machine is 3[56]\d\d\.\d s ahead$/) });
});

it('evidence files cannot be stored', async () => {
  await expectFault(
    'evidence files',
    { WAYMARK_BLOB_DIR: `${import.meta.filename}/inside` },
    { found: expect.stringContaining('ENOTDIR'), fix: expect.stringContaining('write permission') },
  );
});

it('the disk of evidence files is almost full', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'doctor-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', directory], { encoding: 'utf8' });
  expect(mounted, 'this test mounts a small disk').toMatchObject({ status: 0, stderr: '' });
  onTestFinished(() => void spawnSync('umount', [directory]));
  await expectFault('disk space', { WAYMARK_BLOB_DIR: directory }, { found: `8 MiB free in ${directory}` });
});

it('NATS does not answer', async () => {
  await expectFault(
    'NATS',
    { WAYMARK_NATS_URL: 'nats://127.0.0.1:1' },
    { text: 'NATS cannot be used', found: expect.stringMatching(/refused/i) },
  );
});

it('NATS runs without JetStream', async () => {
  const port = await findFreePort();
  const nats = spawn(natsServer.path, ['-a', '127.0.0.1', '-p', String(port)], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void nats.kill());
  let log = '';
  nats.stderr.on('data', (chunk) => (log += chunk));
  await expect.poll(() => log).toContain('Server is ready');
  await expectFault('NATS', { WAYMARK_NATS_URL: `nats://127.0.0.1:${port}` }, { text: 'NATS has no JetStream' });
});

it('the mail server refuses the password', async () => {
  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, answer) => answer(new Error('wrong password')),
  });
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  onTestFinished(() => new Promise<void>((done) => smtp.close(() => done())));
  const { port } = smtp.server.address() as AddressInfo;
  await expectFault(
    'mail',
    { WAYMARK_SMTP_URL: `smtp://ada:wrong@127.0.0.1:${port}` },
    { found: expect.stringMatching(/wrong password/) },
  );
});

it('the API does not answer at the public URL', async () => {
  await expectFault(
    'API',
    { WAYMARK_PUBLIC_URL: `http://127.0.0.1:${await findFreePort()}` },
    { found: expect.stringContaining('ECONNREFUSED') },
  );
});

it('something else answers at the public URL', async () => {
  const url = await listen((_, response) => response.writeHead(404).end('nothing here'));
  await expectFault(
    'API',
    { WAYMARK_PUBLIC_URL: url },
    { found: expect.stringContaining('/status responds with 404') },
  );
});

it('the public URL is not https', async () => {
  const { code, found } = await diagnose({ WAYMARK_PUBLIC_URL: 'http://waymark.invalid' });
  expect(found['public URL']).toMatchObject({ state: 'failed', found: 'http://waymark.invalid is not https' });
  expect(code).toBe(1);
});

it('the proxy is not trusted, until the setting names it', async () => {
  const port = await findFreePort();
  const proxy = await listen((request, response) => {
    const headers = { ...request.headers, 'x-forwarded-for': '203.0.113.7' };
    const sent = forward({ host: '127.0.0.1', port, path: request.url, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.writeHead(502).end());
    sent.end();
  });
  const start = (trusted: Record<string, string>) =>
    startServer(
      ['api'],
      { ...site.env, WAYMARK_PORT: String(port), ...trusted },
      async () => (await readiness(proxy)) === '200',
    );
  const untrusting = await start({});
  await expectFault(
    'proxy',
    { WAYMARK_PUBLIC_URL: proxy },
    { fix: expect.stringContaining('set WAYMARK_TRUSTED_PROXIES') },
  );
  await untrusting.kill();

  await start({ WAYMARK_TRUSTED_PROXIES: '127.0.0.1' });
  const { code, found } = await diagnose({ WAYMARK_PUBLIC_URL: proxy });
  expect(found['API']).toMatchObject({ state: 'ok' });
  expect(found['proxy']).toEqual({ state: 'ok', text: 'trusted, so the addresses of callers are known' });
  expect(code).toBe(0);
});

it('the key of sealed secrets is missing', async () => {
  const key = randomBytes(32);
  const id = newId();
  await sql`
    insert into webhook_key (org_id, id, public_key, private_sealed, created_at)
    values (${org.id}, ${id}, ${Buffer.alloc(32)}, ${openSecretBox(key).seal('secret', id)}, now())`.execute(site.db);
  onTestFinished(async () => void (await sql`delete from webhook_key where org_id = ${org.id}`.execute(site.db)));
  const sealed = `1 sealed with key ${secretKeyId(key)}`;
  await expectFault('sealed secrets', {}, { found: `${sealed}; WAYMARK_SECRET_KEY is not set` });
  const other = { WAYMARK_SECRET_KEY: randomBytes(32).toString('base64') };
  await expectFault('sealed secrets', other, { found: `${sealed}; WAYMARK_SECRET_KEY does not contain that key` });
  const { code, found } = await diagnose({ WAYMARK_SECRET_KEY: key.toString('base64') });
  expect([code, found['sealed secrets']?.text]).toEqual([0, '1, all readable with WAYMARK_SECRET_KEY']);
});

it('dead letters wait', async () => {
  await sql`
    insert into dead_letter (org_id, processor, seq, recorded_at, type, error, failed_at)
    select org_id, 'flow-activity', seq, recorded_at, type, 'by the test', now() from journal
    where org_id = ${org.id} order by seq limit 1`.execute(site.db);
  onTestFinished(async () => void (await sql`delete from dead_letter where org_id = ${org.id}`.execute(site.db)));
  await expectFault('dead letters', {}, { found: '1 of flow-activity in `waymark-server dead-letters list`' });
});

it('no worker runs, and what was written waits', async () => {
  const { url } = await createDatabase(inject('templateDatabase'));
  await expectFault(
    'worker',
    { WAYMARK_DATABASE_URL: url },
    {
      text: expect.stringMatching(/^No worker is running/),
      found: 'no worker sent a heartbeat in the last 10 seconds',
    },
  );
});

it('a processor that waits for a lock falls behind', async () => {
  const other = openDb({ url: site.databaseUrl, poolSize: 1, statementTimeoutMs: 0 }, noLog);
  onTestFinished(() => other.destroy());
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const open = other.transaction().execute(async (db) => {
    // Otherwise PostgreSQL ends a forgotten transaction after 10 seconds.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
    await sql`select from processor_position where processor = 'flow-activity' for update`.execute(db);
    begun.resolve();
    await ended.promise;
  });
  await begun.promise;
  expect((await putFlow(site.url, org, { name: 'late' })).status).toBe(201);
  await sql`
    update journal set recorded_at = recorded_at - interval '5 minutes'
    where org_id = ${org.id} and seq = (select max(seq) from journal where org_id = ${org.id})`.execute(site.db);
  await expectFault(
    'worker',
    {},
    { text: 'Workers are falling behind', found: expect.stringMatching(/[3-9]\d\d s old$/) },
  );
  ended.resolve();
  await open;
});

it('a check that the database does not answer ends, and holds up no other', async () => {
  const other = openDb({ url: site.databaseUrl, poolSize: 1, statementTimeoutMs: 0 }, noLog);
  onTestFinished(() => other.destroy());
  await other.transaction().execute(async (db) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
    await sql`lock table webhook_key in access exclusive mode`.execute(db);
    const timedOut = 'canceling statement due to statement timeout';
    await expectFault('sealed secrets', {}, { text: 'Not checked', found: timedOut });
  });
});
