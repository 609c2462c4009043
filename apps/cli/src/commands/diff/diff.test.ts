import { diffSnapshots } from '@waymark/contract';
import { beforeAll, expect, it } from 'vitest';
import { givenRunning } from '../../../../server/test/given/runs.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';
import { givenStory } from '../../../test/given-story.ts';

const api = await startApi();
const cli = await givenSignedIn(api);

beforeAll(async () => {
  await givenStory(api);
  api.clock.now = new Date(api.clock.now.getTime() + 60_000);
  await givenRunning(api, 'prod', { backend: 'a', evil: 'b' });
});

const diff = (...line: string[]) => cli.run(['diff', ...line]);

it('shows what stopped, started and stayed', async () => {
  const { code, stdout } = await diff('prod');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^- +ghost +dddddddddddd +1 +no provenance/m);
  expect(stdout).toMatch(/^\+ +evil +bbbbbbbbbbbb +1/m);
  expect(stdout).toContain('prod#1 → prod#2; 1 unchanged\n');
  expect((await diff('prod', '--all')).stdout).toMatch(/^= +backend +aaaaaaaaaaaa/m);
});

it('takes every form of a snapshot', async () => {
  for (const [before, after] of [
    ['prod#1', 'prod#2'],
    ['prod~1', 'prod'],
    ['prod@1', 'prod@{now}'],
    ['prod#-2', 'prod~0'],
  ]) {
    const { stdout } = await diff(before ?? '', after ?? '', '--json');
    const { snappish1, snappish2 } = diffSnapshots.reply.parse(JSON.parse(stdout));
    expect([snappish1.snapshot_id, snappish2.snapshot_id]).toEqual(['prod#1', 'prod#2']);
  }
  expect((await diff('prod#1', '-o', 'name')).stdout).toBe('ghost\nevil\n');
});

it('reports when nothing changed, and what is missing', async () => {
  expect(await diff('prod', 'prod')).toMatchObject({
    code: 0,
    stdout: 'prod#2 → prod#2: nothing changed; 2 unchanged\n',
  });
  expect(await diff('prod', 'staging')).toMatchObject({ code: 5, stdout: '' });
  expect(await diff('prod#9')).toMatchObject({ code: 5, stdout: '' });
  expect(await diff('prod@{', 'prod')).toMatchObject({ code: 2, stdout: '' });
  expect(await diff()).toMatchObject({ code: 2, stdout: '' });
});
