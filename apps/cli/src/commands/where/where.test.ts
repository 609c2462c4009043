import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintFile } from '@waymark/fingerprint';
import { beforeAll, expect, it } from 'vitest';
import { givenRunning } from '../../../../server/test/given/runs.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';
import { givenPlainArtifact, givenReview, givenStory } from '../../../test/given-story.ts';

const api = await startApi();
const cli = await givenSignedIn(api);

beforeAll(async () => {
  await givenStory(api);
  await givenReview(api);
});

const where = (...line: string[]) => cli.run(['where', '--utc', ...line]);

it('shows where it runs and since when, and where not yet', async () => {
  const { code, stdout } = await where('aaaaa');
  expect(code).toBe(0);
  expect(stdout).toMatch(/✓ running +prod +\d{4}-\d\d-\d\d \d\d:\d\d +#1 +app-a\.tgz +aaaaaaaaaaaa/);
  expect(stdout).toMatch(/┄ not yet +staging\n/);
  expect(JSON.parse((await where('aaaaa', '--json')).stdout)).toEqual([
    {
      state: 'running',
      environment_name: 'prod',
      since: api.clock.now.getTime() / 1000,
      snapshot_index: 1,
      artifact_name: 'app-a.tgz',
      fingerprint: 'a'.repeat(64),
      git_commit: 'a'.repeat(40),
      flow_name: 'shop',
    },
    expect.objectContaining({ state: 'never', environment_name: 'staging', since: null }),
  ]);
});

it('finds by whole commit, ticket and pull request, and never by a prefix', async () => {
  const known = ['a'.repeat(40), 'SHOP-12', 'shop-12', 'SHOP-7', 'https://git.example.com/acme/shop/pull/8'];
  for (const what of known) {
    expect(await where(what), what).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ running') });
  }
  for (const what of ['SHOP-1', 'SHOP', 'HOP-12', 'https://git.example.com/acme/shop/pull/81', '.*', 'fffff']) {
    const { code, stdout } = await where(what);
    if (what === 'SHOP') expect(code).toBe(0);
    else expect([what, code, stdout]).toEqual([what, 5, '']);
  }
  expect(await where('')).toMatchObject({ code: 2 });
});

it('shows where it ran, and finds a local file', async () => {
  const file = join(cli.cwd, 'next.bin');
  writeFileSync(file, 'next');
  const digest = await fingerprintFile(file);
  await givenPlainArtifact(api, 'next', '6', { fingerprint: digest });
  expect(await where('./next.bin')).toMatchObject({ code: 0, stdout: expect.not.stringContaining('✓') });
  expect((await where('next.bin')).stdout).toBe((await where('./next.bin')).stdout);
  api.clock.now = new Date(api.clock.now.getTime() + 60_000);
  await givenRunning(api, 'prod', { backend: digest });
  expect((await where('./next.bin')).stdout).toMatch(/✓ running +prod .* #2 /);
  expect((await where('aaaaa')).stdout).toMatch(/✕ exited +prod .* #2 /);
  expect((await where('aaaaa', '-o', 'name')).stdout).toBe('prod\nstaging\n');
});
