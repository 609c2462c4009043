import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, it } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';

const SERVER = join(import.meta.dirname, '../waymark-server.ts');
const { url } = await createDatabase(inject('templateDatabase'));

async function run(...args: string[]) {
  const env = {
    PATH: process.env['PATH'],
    WAYMARK_REGION: 'eu',
    WAYMARK_PUBLIC_URL: 'https://waymark.test/',
    WAYMARK_DATABASE_URL: url,
    WAYMARK_NATS_URL: 'nats://127.0.0.1:1',
    WAYMARK_BLOB_DIR: '/tmp',
  };
  const child = spawn(process.execPath, [SERVER, ...args], { env });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out: out.trim(), err: err.trim() };
}

it('prints a link while there is no user, a new one each time, and none after', { timeout: 60_000 }, async () => {
  const [first, second] = [await run('set-up'), await run('set-up')];
  for (const { code, out, err } of [first, second]) {
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^https:\/\/waymark\.test\/set-up\?token=[\w-]{43}$/);
  }
  expect(second.out).not.toBe(first.out);
  await run('user', 'create', 'ada');
  expect(await run('set-up')).toEqual({
    code: 1,
    out: '',
    err: 'This installation has users already: make more with "waymark-server user create"',
  });
});
