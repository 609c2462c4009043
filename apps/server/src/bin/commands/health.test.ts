import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { givenInstallation } from '../../../test/faults/installation.ts';
import { startServer } from '../../../test/faults/processes.ts';
import { selfSigned } from '../../../test/given/certificate.ts';
import { commandsOn } from '../../../test/run-command.ts';

it('tells whether the API on this machine can serve', async () => {
  const { databaseUrl, url, env, startApi } = await givenInstallation();
  const run = commandsOn(databaseUrl, url, env);
  expect(await run('health')).toMatchObject({
    code: 1,
    out: expect.stringContaining(`${url}/ready: connect ECONNREFUSED`),
  });
  await startApi();
  expect(await run('health')).toEqual({ code: 0, out: 'OK', err: '' });
});

it('asks a server with TLS for exactly its certificate, whatever names are in it', async () => {
  const { databaseUrl, url, env } = await givenInstallation();
  const directory = await mkdtemp(join(tmpdir(), 'health-'));
  const files = { WAYMARK_TLS_CERT: join(directory, 'tls.crt'), WAYMARK_TLS_KEY: join(directory, 'tls.key') };
  const { cert, key } = selfSigned('waymark.example.com');
  await Promise.all([writeFile(files.WAYMARK_TLS_CERT, cert), writeFile(files.WAYMARK_TLS_KEY, key)]);
  await startServer(['api'], { ...env, ...files }, (api) => api.log().includes('api listens'));
  const run = commandsOn(databaseUrl, url, { ...env, ...files });
  // It listens before it is ready, and a busy machine makes it take longer than the command waits.
  await expect.poll(() => run('health')).toEqual({ code: 0, out: 'OK', err: '' });

  const other = join(directory, 'other.crt');
  await writeFile(other, selfSigned('waymark.example.com').cert);
  const withOther = commandsOn(databaseUrl, url, { ...env, ...files, WAYMARK_TLS_CERT: other });
  const secure = url.replace('http:', 'https:');
  expect(await withOther('health')).toMatchObject({
    code: 1,
    out: expect.stringMatching(`${secure}/ready: .*certificate`),
  });
});

it('does not start with a key that belongs to another certificate', async () => {
  const { databaseUrl, url, env } = await givenInstallation();
  const directory = await mkdtemp(join(tmpdir(), 'health-'));
  const files = { WAYMARK_TLS_CERT: join(directory, 'tls.crt'), WAYMARK_TLS_KEY: join(directory, 'tls.key') };
  await writeFile(files.WAYMARK_TLS_CERT, selfSigned('waymark.example.com').cert);
  await writeFile(files.WAYMARK_TLS_KEY, selfSigned('waymark.example.com').key);
  const run = commandsOn(databaseUrl, url, { ...env, ...files });
  expect(await run('api')).toMatchObject({
    code: 78,
    err: `WAYMARK_TLS_CERT or WAYMARK_TLS_KEY is wrong: the key in ${files.WAYMARK_TLS_KEY} does not belong to the certificate in ${files.WAYMARK_TLS_CERT}`,
  });
});
