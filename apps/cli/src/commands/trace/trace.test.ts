import { beforeAll, expect, it } from 'vitest';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';
import { givenPlainArtifact, givenReview, givenStory } from '../../../test/given-story.ts';

const api = await startApi();
const cli = await givenSignedIn(api);

beforeAll(async () => {
  await givenStory(api);
});

const trace = (...line: string[]) => cli.run(['trace', '--utc', ...line]);

it('follows an artifact from its commit to where it runs, with missing evidence', async () => {
  const { code, stdout } = await trace('aaaaa');
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  const [, ...links] = lines.map((line) => line.replace(/ +/g, ' ').replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'WHEN'));
  expect(links).toEqual([
    '✓ commit aaaaaaaaaaaa SHOP-12: sell more by Ada on main',
    '┄ review no review recorded',
    '✓ build https://ci.example.com/1',
    '✕ evidence WHEN unit-tests (generic): The reporter marked it as not compliant.',
    '┄ evidence scan (snyk): required but missing',
    '✓ artifact WHEN app-a.tgz aaaaaaaaaaaa, reported by acme-admin',
    '✓ running WHEN prod, since snapshot 1',
    "shop/release-1 is non-compliant for it; 'waymark why aaaaaaaaaaaa' shows why",
  ]);
});

it('shows the ticket and the review where they are recorded', async () => {
  await givenReview(api);
  expect((await trace('aaaaa')).stdout).toContain('review (pull_request): not in the template');
  const links = JSON.parse((await trace('aaaaa', '--json')).stdout) as { step: string; state: string }[];
  expect(links.map(({ step, state }) => `${step} ${state}`)).toEqual([
    'ticket passed',
    'commit recorded',
    'review passed',
    'build recorded',
    'evidence failed',
    'evidence missing',
    'artifact recorded',
    'running recorded',
  ]);
});

it('shows untrusted names as plain text', async () => {
  await givenPlainArtifact(api, 'hostile', '7', { filename: 'x\u001b[2J\u202e\n| <b>' });
  const { stdout } = await trace('77777');
  for (const sign of ['\u001b', '\u202e']) expect(stdout).not.toContain(sign);
  expect(stdout).toMatch(/┄ {2}running +not running anywhere/);
  const markdown = (await trace('77777', '-o', 'markdown')).stdout;
  expect(markdown).toContain('x \\[2J \\| \\<b\\>');
});

it('reports an unknown artifact', async () => {
  expect(await trace('fffff')).toMatchObject({ code: 5, stdout: '' });
  expect(await trace('./gone')).toMatchObject({ code: 2, stdout: '' });
  expect(await trace()).toMatchObject({ code: 2, stdout: '' });
});
