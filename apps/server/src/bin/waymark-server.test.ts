import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, inject, it, onTestFinished } from 'vitest';
import { compiled } from '../../../../tools/services/compiled.ts';
import { createDatabase, dropDatabases } from '../../test/databases.ts';

const { url } = await createDatabase(inject('templateDatabase'));
const complete = {
  WAYMARK_REGION: 'eu',
  WAYMARK_PUBLIC_URL: 'http://waymark.test',
  WAYMARK_DATABASE_URL: url,
  WAYMARK_NATS_URL: 'nats://127.0.0.1:1',
  WAYMARK_BLOB_DIR: '/tmp',
};

async function run(args: string[], env: Record<string, string> = complete) {
  const child = spawn(process.execPath, [inject('programs').server, ...args], {
    env: { ...compiled, PATH: process.env['PATH'], ...env },
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out: out.trim(), err: err.trim() };
}

it('sets an installation up from nothing', async () => {
  const empty = await createDatabase();
  onTestFinished(() => dropDatabases(empty.name));
  const env = { ...complete, WAYMARK_DATABASE_URL: empty.url };
  expect(await run(['migrate'], env)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Applied 0001_identity, 0002_sign_in/),
  });
  expect(await run(['migrate'], env)).toMatchObject({ code: 0, out: 'The database is up to date' });
});

it('makes orgs, users and keys, and says what is wrong in one line', async () => {
  expect(await run(['org', 'create', 'acme'])).toMatchObject({ code: 0, out: "Org 'acme' created" });
  expect(await run(['org', 'create', 'acme'])).toEqual({
    code: 1,
    out: '',
    err: "name is taken: an org 'acme' already exists",
  });
  expect(await run(['user', 'create', 'ada', '--org', 'acme', '--role', 'admin'])).toMatchObject({ code: 0 });
  expect(await run(['user', 'create', 'bob', '--org', 'nowhere'])).toMatchObject({
    code: 1,
    err: expect.stringContaining("'nowhere'"),
  });
  const personal = await run(['key', 'create', '--user', 'ada']);
  expect(personal).toMatchObject({ code: 0, out: expect.stringMatching(/^wmk_e[0-9A-Za-z]{36}$/) });
  const machine = await run([
    'key',
    'create',
    '--service-account',
    'ci',
    '--org',
    'acme',
    '--role',
    'member',
    '--expires-in-days',
    '30',
  ]);
  expect(machine).toMatchObject({ code: 0, out: expect.stringMatching(/^wmk_e/) });
  expect(await run(['key', 'create'])).toMatchObject({
    code: 1,
    err: 'The owner of the key is missing: add --user or --service-account',
  });
  expect(await run(['key', 'create', '--user', 'ada', '--expires-in-days', 'soon'])).toMatchObject({ code: 1 });
  expect(await run(['dead-letters', 'list'])).toMatchObject({ code: 0, out: '0 waiting' });
});

it('lists everything that is wrong with its configuration and exits 78', async () => {
  const { code, err } = await run(['migrate'], { WAYMARK_REGION: 'EU' });
  expect(code).toBe(78);
  expect(err.split('\n')).toEqual([
    'The configuration is not valid:',
    '  WAYMARK_REGION must be lower-case letters, for example eu',
    expect.stringContaining('WAYMARK_PUBLIC_URL'),
    expect.stringContaining('WAYMARK_DATABASE_URL'),
    '  WAYMARK_BLOB_DIR or WAYMARK_S3_BUCKET is required',
  ]);
});

it('says in one line that PostgreSQL cannot be reached', async () => {
  const env = { ...complete, WAYMARK_DATABASE_URL: 'postgres://waymark@127.0.0.1:1/waymark' };
  expect(await run(['org', 'create', 'acme'], env)).toEqual({
    code: 1,
    out: '',
    err: 'PostgreSQL cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
  });
});
