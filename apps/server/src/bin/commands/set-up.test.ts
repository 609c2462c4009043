import { expect, inject, it } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { commandsOn } from '../../../test/run-command.ts';

const { url } = await createDatabase(inject('templateDatabase'));

const run = commandsOn(url, 'https://waymark.test/');

it('prints a link while there is no user, a new one each time, and none after', { timeout: 600_000 }, async () => {
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
    err: 'This installation already has users: create more with "waymark-server user create"',
  });
});
