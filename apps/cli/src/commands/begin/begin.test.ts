import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getTrail } from '@waymark/contract';
import { beforeAll, expect, it } from 'vitest';
import { givenFlow, trailOf } from '../../../../server/test/given/evidence.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { COMMIT, GITHUB_BUILD } from '../../../test/given-build.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const env = { ...GITHUB_BUILD, WAYMARK_FLOW: 'shop' };

beforeAll(() => givenFlow(api, 'shop'));

it('begins a trail named after the commit, and exports it to later steps', async () => {
  const file = join(cli.home, 'github-env');
  writeFileSync(file, '');
  const { code, stdout, stderr } = await cli.run(['begin', 'trail'], { env: { ...env, GITHUB_ENV: file } });
  expect([code, stdout]).toEqual([0, `Trail ${COMMIT} of shop begun\n`]);
  expect(stderr).toBe('GitHub Actions · commit 9f14efa0c5d4 · branch main\n');
  expect(await trailOf(api, 'shop', COMMIT)).toMatchObject({
    git_commit_info: { sha1: COMMIT, branch: 'main' },
    origin_url: 'https://github.com/acme/shop/actions/runs/42/attempts/1',
  });
  const exported = readFileSync(file, 'utf8').split('\n');
  expect(exported).toEqual(expect.arrayContaining([expect.stringMatching(/^WAYMARK_FLOW<</), 'shop', COMMIT]));
});

it('erases nothing when it is begun again', async () => {
  const given = ['--description', 'First', '--link', 'plan=https://plan.example'];
  await cli.run(['begin', 'trail', 'again', ...given], { env });
  const { code, stdout } = await cli.run(['begin', 'trail', 'again'], { env });
  expect([code, stdout]).toEqual([0, 'Trail again of shop is up to date\n']);
  expect(await trailOf(api, 'shop', 'again')).toMatchObject({
    description: 'First',
    external_urls: { plan: { href: 'https://plan.example' } },
  });
});

it('takes a template, and refuses one that is wrong, in a dry run as well', async () => {
  const good = join(cli.home, 'good.yml');
  writeFileSync(good, 'version: 1\ntrail:\n  attestations:\n    - name: own\n      type: generic\n');
  expect((await cli.run(['begin', 'trail', 'own', '--template', good], { env })).code).toBe(0);
  const { compliance_status: status } = await trailOf(api, 'shop', 'own');
  expect(status.attestations_statuses).toMatchObject([{ attestation_name: 'own' }]);
  const bad = join(cli.home, 'bad.yml');
  writeFileSync(bad, 'version: 9\n');
  for (const more of [[], ['--dry-run']]) {
    expect((await cli.run(['begin', 'trail', 'wrong', '--template', bad, ...more], { env })).code).toBe(2);
  }
});

it('records nothing in a dry run, and exports nothing', async () => {
  const file = join(cli.home, 'github-env-dry');
  writeFileSync(file, '');
  const given = { env: { ...env, GITHUB_ENV: file } };
  const { code, stdout, stderr } = await cli.run(['begin', 'trail', 'dry', '--dry-run'], given);
  expect(stdout).toBe('Trail dry of shop would be begun\n');
  expect([code, stderr]).toEqual([0, expect.stringContaining('(dry run: nothing was recorded)')]);
  expect(readFileSync(file, 'utf8')).toBe('');
  const { status } = await api.call(getTrail, { params: { flow_name: 'shop', trail_name: 'dry' } });
  expect(status).toBe(404);
});

it('answers as JSON', async () => {
  const { stdout } = await cli.run(['begin', 'trail', 'json', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ flow: 'shop', trail: 'json', created: true });
});

it('is refused without a flow, with an empty name, and for a missing flow', async () => {
  const outside = { env: { ...GITHUB_BUILD } };
  expect((await cli.run(['begin', 'trail'], outside)).stderr).toContain('No flow is set');
  expect((await cli.run(['begin', 'trail', ''], { env })).code).toBe(2);
  const nowhere = await cli.run(['begin', 'trail', 'x', '--flow', 'nope'], { env });
  expect([nowhere.code, nowhere.stderr]).toEqual([5, expect.stringContaining("'waymark flow create nope'")]);
});
