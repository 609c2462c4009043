import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { putFlow } from '@waymark/contract';
import { expect, it } from 'vitest';
import { givenEnvironment } from '../../../../server/test/given/environments.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { addressOf, givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const host = await addressOf(api);
await givenEnvironment(api, 'prod');
await api.call(putFlow, { body: { name: 'shop' } });

it.each([
  [[], ''],
  [['shop/release-1'], '/flows/shop/trails/release-1'],
  [['shop'], '/flows/shop'],
  [['prod'], '/environments/prod'],
  [['prod#12'], '/environments/prod/snapshots/12'],
  [['prod~3'], '/environments/prod/snapshots/~3'],
  [['prod@{2.days.ago}'], '/environments/prod/snapshots/%40%7B2.days.ago%7D'],
  [[`sha256:${'A'.repeat(64)}`], `/artifacts/${'a'.repeat(64)}`],
  [['9f14efa'], '/trace/9f14efa'],
])('knows the page of %j', async (ref, page) => {
  expect(await cli.run(['open', ...ref])).toEqual({ code: 0, stdout: `${host}/acme${page}\n`, stderr: '' });
});

it('reports that nothing has that name', async () => {
  expect(await cli.run(['open', 'nothing'])).toMatchObject({ code: 5, stdout: '' });
  expect(JSON.parse((await cli.run(['open', 'prod', '--json'])).stdout)).toEqual({
    url: `${host}/acme/environments/prod`,
  });
});

it('opens a browser in a terminal', async () => {
  const browser = join(cli.home, 'browser');
  await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > ${join(cli.home, 'opened')}\n`);
  await chmod(browser, 0o755);
  const ran = await cli.run(['open', 'shop/1'], { isTty: true, env: { BROWSER: browser } });
  expect(ran).toMatchObject({ code: 0, stdout: '' });
  expect(await readFile(join(cli.home, 'opened'), 'utf8')).toBe(`${host}/acme/flows/shop/trails/1`);
});
