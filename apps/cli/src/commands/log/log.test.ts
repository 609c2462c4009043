import { listEnvironmentEvents } from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenFeed } from '../../../../server/test/given/feed.ts';
import { givenRunning } from '../../../../server/test/given/runs.ts';
import { repeatUntilTestEnds } from '../../../../server/test/given/turns.ts';
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

const log = (...line: string[]) => cli.run(['log', ...line]);
const names = async (...line: string[]) => (await log(...line, '-o', 'name')).stdout.trimEnd().split('\n');

it('lists what happened, the newest first', async () => {
  const { code, stdout, stderr } = await log('prod');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/prod#2 +started +evil +bbbbbbbbbbbb +✕ NON-COMPLIANT/);
  const events = listEnvironmentEvents.reply.parse(JSON.parse((await log('prod', '--json')).stdout));
  expect(events.map(({ snapshot_index, type }) => `${snapshot_index} ${type}`)).toEqual([
    '2 started',
    '2 exited',
    '1 started',
    '1 started',
  ]);
});

it('is printed by env events in the same words', async () => {
  expect((await cli.run(['env', 'events', 'prod'])).stdout).toBe((await log('prod')).stdout);
  const csv = (await cli.run(['env', 'events', 'prod', '-o', 'csv'])).stdout;
  expect(csv).toMatch(/^time,snapshot,event,artifact,fingerprint,state,flow,description\r\n/);
  expect(csv).toMatch(/\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ,prod#2,started,evil,b{64},non-compliant,/);
});

it('can be narrowed by kind, time and number', async () => {
  expect(await names('prod', '--type', 'exited')).toEqual(['ghost']);
  expect(await names('prod', '--type', 'started,exited', '--limit', '2')).toEqual(['evil', 'ghost']);
  const since = new Date(api.clock.now.getTime() - 30_000).toISOString();
  expect((await names('prod', '--since', since)).toSorted()).toEqual(['evil', 'ghost']);
  expect((await names('prod', '--until', since)).toSorted()).toEqual(['backend', 'ghost']);
  expect(await log('prod', '--type', 'changed')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: "No events match these filters. 'waymark log prod' lists all.\n",
  });
  expect(await log('staging')).toMatchObject({ code: 0, stderr: expect.stringContaining('yet') });
  expect((await log('prod', '--limit', '1')).stderr).toContain('Only the first is shown');
});

it('is the audit log of the service as CSV', async () => {
  const { code, stdout } = await log('prod', '-o', 'csv', '--type', 'started');
  expect(code).toBe(0);
  const [head, ...lines] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^timestamp,event,environment,/);
  expect(lines.map((line) => line.split(',').slice(1, 5).join(' '))).toEqual([
    'started prod 1 backend',
    'started prod 1 ghost',
    'started prod 2 evil',
  ]);
});

it('refuses contradictory flags', async () => {
  expect(await log('prod', '--type', 'eaten')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("does not accept 'eaten'"),
  });
  expect(await log('prod', '--since', 'yesterday')).toMatchObject({ code: 2 });
  expect(await log('prod', '--follow', '--until', '1d')).toMatchObject({ code: 2 });
  expect(await log('prod', '--follow', '-o', 'yaml')).toMatchObject({ code: 2 });
  expect(await log('nowhere')).toMatchObject({ code: 5 });
  expect(await log('nowhere', '--follow')).toMatchObject({ code: 5 });
});

describe('--follow', () => {
  /**
   * Returns what is written until it is interrupted after that many events; `change` runs once the first were printed.
   */
  async function followed(names: Record<string, string>, [before, after]: [number, number], ...line: string[]) {
    const stop = new AbortController();
    let printed = '';
    const onWrite = (text: string) => (printed += text);
    const following = cli.run(['log', 'prod', '--follow', ...line], { signal: stop.signal, onWrite });
    const events = () => printed.split('\n').length - 1;
    await expect.poll(events).toBe(before);
    api.clock.now = new Date(api.clock.now.getTime() + 60_000);
    await givenRunning(api, 'prod', names);
    await expect.poll(events).toBe(after);
    stop.abort();
    return following;
  }

  it('prints new events until it is interrupted', async () => {
    // No worker fills the event stream here, so polling finds the event.
    const { code, stdout, stderr } = await followed({ backend: 'a' }, [1, 2], '-o', 'ndjson', '--limit', '1');
    expect([code, stderr]).toEqual([130, expect.stringContaining('Interrupted')]);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; snapshot_index: number });
    expect(events.map(({ snapshot_index, type }) => `${snapshot_index} ${type}`)).toEqual(['2 started', '3 exited']);
  });

  it('prints at once where the event stream is available, and only the chosen types', async () => {
    const feed = givenFeed(api);
    repeatUntilTestEnds(feed.untilDone);
    const { code, stdout } = await followed({ other: 'b' }, [3, 4], '--type', 'started', '--since', '1h');
    expect(code).toBe(130);
    const printed = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/).slice(1, 4).join(' '));
    expect(printed).toEqual([
      'prod#1 started backend',
      'prod#1 started ghost',
      'prod#2 started evil',
      'prod#4 started other',
    ]);
  });
});
