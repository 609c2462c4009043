import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { assertArtifact, attestJunit, getSnapshot, getTrail, joinEnvironment } from '@waymark/contract';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { givenEnvironment, givenHeartbeat } from '../../../../server/test/given/environments.ts';
import { attest, fingerprint, givenFlow, givenTrail } from '../../../../server/test/given/evidence.ts';
import { givenFeed } from '../../../../server/test/given/feed.ts';
import { givenAttached, givenPolicy, REQUIRES_PROVENANCE } from '../../../../server/test/given/policies.ts';
import { givenReport } from '../../../../server/test/given/reports.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { GITHUB_BUILD } from '../../../test/given-build.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';
import { givenTested } from '../../../test/given-tested.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const ask = (...line: string[]) => cli.run(['assert', ...line]);
const GOOD = `sha256:${fingerprint('a')}`;
const BAD = `sha256:${fingerprint('b')}`;

const TESTED = 'version: 1\ntrail:\n  attestations:\n    - { name: unit-tests, type: generic }\n';

/** Makes waits of that many milliseconds last until the test ends. */
function withoutTurns(ms: number): void {
  const real = globalThis.setTimeout;
  const timer = vi.spyOn(globalThis, 'setTimeout');
  timer.mockImplementation(((work: () => void, after?: number) =>
    real(work, after === ms ? 2 ** 31 - 1 : after)) as typeof setTimeout);
  onTestFinished(() => timer.mockRestore());
}

beforeAll(async () => {
  await givenTested(api);
  await givenPolicy(api, 'known', REQUIRES_PROVENANCE);
  for (const name of ['prod', 'free', 'good', 'old', 'old-bad', 'never']) await givenEnvironment(api, name);
  for (const name of ['prod', 'good', 'old', 'old-bad']) await givenAttached(api, name, ['known', 'tested']);
  await givenReport(api, 'prod', [['good', fingerprint('a')]]);
  await givenReport(api, 'prod', [
    ['good', fingerprint('a')],
    ['bad', fingerprint('b')],
  ]);
  await givenReport(api, 'free', [['good', fingerprint('a')]]);
  await givenReport(api, 'good', [['good', fingerprint('a')]]);
  await givenReport(api, 'old', [['good', fingerprint('a')]]);
  await givenReport(api, 'old-bad', [['bad', fingerprint('b')]]);
  for (const name of ['old', 'old-bad']) {
    await givenHeartbeat(api, name, new Date(Date.now() - 30 * 86_400_000), [60, 60, 60, 60, 60]);
  }
});

describe('assert artifact', () => {
  it('0: the policies of the environment are satisfied', async () => {
    const { code, stdout } = await ask('artifact', GOOD, '--env', 'prod');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ COMPLIANT sha256:aaaaaaaaaaaa for prod — /);
  });

  it('3: they are not, with why, what to do and a page', async () => {
    const { code, stdout } = await ask('artifact', BAD, '--env', 'prod');
    expect(code).toBe(3);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('✕ NON-COMPLIANT sha256:bbbbbbbbbbbb for prod — 1 of 2 policies fails: tested v1');
    expect(lines[1]).toMatch(/^ {2}Policy 'tested' requires a compliant attestation named 'unit-tests'/);
    expect(lines[2]).toMatch(/^ {4}fix: /);
    expect(stdout).toMatch(/ {2}page: http:\/\/waymark\.test\/acme\/flows\/shop\/artifacts\/b+/);
  });

  it('3 and 0: by the given policies', async () => {
    expect((await ask('artifact', BAD, '--policy', 'tested')).code).toBe(3);
    expect((await ask('artifact', BAD, '--policy', 'known')).code).toBe(0);
    const both = await ask('artifact', BAD, '--policy', 'known', '--policy', 'tested');
    expect([both.code, both.stdout]).toEqual([3, expect.stringContaining('1 of 2 policies fails: tested v1')]);
  });

  it('0 and 3: by the flow', async () => {
    expect((await ask('artifact', GOOD, '--flow', 'shop')).code).toBe(0);
    expect((await ask('artifact', BAD)).code).toBe(3);
  });

  it('8: where no policy is attached', async () => {
    const { code, stdout } = await ask('artifact', GOOD, '--env', 'free');
    expect([code, stdout]).toEqual([8, expect.stringMatching(/^\? UNKNOWN sha256:a+ for free — /)]);
    expect(stdout).toContain('  fix: Attach a policy to the environment: waymark env policies attach free POLICY\n');
  });

  it('5: it was not reported, or there is no such environment or policy', async () => {
    expect((await ask('artifact', `sha256:${fingerprint('9')}`, '--env', 'prod')).code).toBe(5);
    expect((await ask('artifact', GOOD, '--env', 'nowhere')).code).toBe(5);
    expect((await ask('artifact', GOOD, '--policy', 'nothing')).code).toBe(5);
  });

  it('2: an empty value, or two questions at once', async () => {
    expect((await ask('artifact', GOOD, '--env', '')).code).toBe(2);
    expect((await ask('artifact', GOOD, '--env', 'prod', '--policy', 'tested')).code).toBe(2);
    expect((await ask('artifact', GOOD, '--wait', 'soon')).code).toBe(2);
  });

  it('4 and 7: not signed in, or the service is unavailable; never 0', async () => {
    const line = ['assert', 'artifact', GOOD, '--env', 'prod'];
    expect((await cli.run(line, { env: { WAYMARK_TOKEN: 'not-a-key' } })).code).toBe(4);
    expect((await cli.run(line, { env: { WAYMARK_HOST: 'http://127.0.0.1:1' } })).code).toBe(7);
    const waited = await cli.run([...line, '--wait', '200ms'], { env: { WAYMARK_HOST: 'http://127.0.0.1:1' } });
    expect(waited.code).toBe(7);
    expect((await cli.run([...line, '--on-unavailable', 'ignore'])).code).toBe(2);
  });

  it('is not narrowed by a flow from a variable', async () => {
    const given = { env: { WAYMARK_FLOW: 'another' } };
    expect((await cli.run(['assert', 'artifact', GOOD, '--env', 'prod'], given)).code).toBe(0);
  });

  it('answers as the API does, and puts an error on the page of the build', async () => {
    const line = ['assert', 'artifact', BAD, '--env', 'prod'];
    const { code, stdout, stderr } = await cli.run([...line, '--json'], { env: { ...GITHUB_BUILD } });
    expect(code).toBe(3);
    expect(assertArtifact.reply.parse(JSON.parse(stdout))).toMatchObject({ compliance: 'non-compliant' });
    expect(stderr).toMatch(/^::error title=NON-COMPLIANT sha256%3Ab+ for prod::/m);
  });
});

it('writes the summary of the job, red and green, once for each question', async () => {
  const summary = join(cli.home, 'summary.md');
  writeFileSync(summary, '');
  const env = { ...GITHUB_BUILD, GITHUB_STEP_SUMMARY: summary };
  for (const artifact of [GOOD, BAD, BAD]) await cli.run(['assert', 'artifact', artifact, '--env', 'prod'], { env });
  const text = readFileSync(summary, 'utf8');
  expect(text).toContain('**✓ COMPLIANT** sha256:aaaaaaaaaaaa for prod — ');
  expect(
    text.match(/\*\*✕ NON-COMPLIANT\*\* sha256:bbbbbbbbbbbb for prod — 1 of 2 policies fails: tested v1/g),
  ).toHaveLength(1);
  expect(text).toMatch(/^- Policy 'tested' requires .* \*\*fix:\*\* /m);
});

describe('assert snapshot', () => {
  it('0: all that runs is compliant, now or then', async () => {
    expect(await ask('snapshot', 'good')).toMatchObject({ code: 0, stdout: '✓ COMPLIANT good#1\n' });
    for (const then of ['prod#1', 'prod~1', 'prod@1', 'prod@{-2}']) {
      expect([then, (await ask('snapshot', then)).code]).toEqual([then, then === 'prod@{-2}' ? 2 : 0]);
    }
  });

  it('3: something is not', async () => {
    const { code, stdout } = await ask('snapshot', 'prod');
    expect([code, stdout.split('\n')[0]]).toEqual([3, '✕ NON-COMPLIANT prod#2 — 1 of 2 artifacts fails']);
    expect(stdout).toContain("bad: Policy 'tested' requires");
    expect((await ask('snapshot', 'prod@{now}')).code).toBe(3);
  });

  it('8: no policy, or nothing was reported', async () => {
    const free = await ask('snapshot', 'free');
    expect([free.code, free.stdout]).toEqual([8, expect.stringContaining('waymark env policies attach free POLICY')]);
    const never = await ask('snapshot', 'never');
    expect([never.code, never.stdout]).toEqual([8, expect.stringContaining('No report yet')]);
  });

  it.each([
    ['8', 'old', '? UNKNOWN old#1 — The environment is stale', 'is unknown'],
    ['3', 'old-bad', '✕ NON-COMPLIANT (stale) old-bad#1 — 1 of 1 artifacts fails', 'may have changed'],
  ])('%s: %s was reported too long ago', async (code, name, title, meaning) => {
    const { stdout, ...ended } = await ask('snapshot', name);
    const [first, second, third] = stdout.split('\n');
    expect([`${ended.code}`, first, third]).toEqual([code, title, '    fix: Check its reporter']);
    expect(second).toMatch(new RegExp(`^ {2}Nothing has been reported since .* UTC, so what runs now ${meaning}$`));
  });

  it('explains why a stale environment fails, and does not call its past stale', async () => {
    expect((await ask('snapshot', 'old-bad')).stdout).toContain("bad: Policy 'tested' requires");
    await givenEnvironment(api, 'was-bad');
    await givenAttached(api, 'was-bad', ['tested']);
    await givenReport(api, 'was-bad', [['bad', fingerprint('b')]]);
    await givenReport(api, 'was-bad', [['good', fingerprint('a')]]);
    await givenHeartbeat(api, 'was-bad', new Date(Date.now() - 30 * 86_400_000), [60, 60, 60, 60, 60]);
    const then = await ask('snapshot', 'was-bad#1');
    expect([then.code, then.stdout]).toEqual([3, expect.stringMatching(/^✕ NON-COMPLIANT was-bad#1 — /)]);
    expect(then.stdout).not.toContain('Nothing was reported');
    expect((await ask('snapshot', 'was-bad')).code).toBe(8);
  });

  it('names a stale member that fails', async () => {
    await givenEnvironment(api, 'some', 'logical', { included_environments: ['good', 'old-bad'] });
    const { code, stdout } = await ask('snapshot', 'some');
    expect([code, stdout.split('\n')[0]]).toEqual([3, '✕ NON-COMPLIANT some — old-bad#1 is NON-COMPLIANT (stale)']);
  });

  it('is as compliant as the worst member of a logical environment', async () => {
    await givenEnvironment(api, 'all', 'logical', { included_environments: ['good', 'free'] });
    expect((await ask('snapshot', 'all')).code).toBe(8);
    await api.call(joinEnvironment, { params: { env_name: 'all' }, body: { physical_env_name: 'prod' } as never });
    const worst = await ask('snapshot', 'all');
    expect([worst.code, worst.stdout]).toEqual([3, expect.stringContaining('prod#2 is NON-COMPLIANT')]);
  });

  it('5 and 2: not there, or not an expression', async () => {
    expect((await ask('snapshot', 'nowhere')).code).toBe(5);
    expect((await ask('snapshot', 'prod#99')).code).toBe(5);
    expect((await ask('snapshot', 'prod@')).code).toBe(2);
    expect((await ask('snapshot', '')).code).toBe(2);
  });

  it('answers as the API does', async () => {
    const { stdout } = await ask('snapshot', 'prod', '--json');
    expect(getSnapshot.reply.parse(JSON.parse(stdout))).toMatchObject({ index: 2 });
  });
});

describe('assert trail', () => {
  beforeAll(async () => {
    await givenFlow(api, 'tested', TESTED);
    for (const name of ['good', 'bad', 'empty', 'soon']) await givenTrail(api, 'tested', name);
    await attest(api, 'tested', 'good', { attestation_name: 'unit-tests', is_compliant: true });
    await attest(api, 'tested', 'bad', { attestation_name: 'unit-tests', is_compliant: false });
  });

  it('0: it is compliant', async () => {
    expect(await ask('trail', 'tested/good')).toMatchObject({ code: 0, stdout: '✓ COMPLIANT tested/good\n' });
    expect((await ask('trail', 'good', '--flow', 'tested')).code).toBe(0);
    expect((await ask('trail', '--flow', 'tested', '--trail', 'good')).code).toBe(0);
  });

  it('3: it is not, or waits for something', async () => {
    const bad = await ask('trail', 'tested/bad');
    expect([bad.code, bad.stdout]).toEqual([3, expect.stringContaining('✕ NON-COMPLIANT tested/bad')]);
    const empty = await ask('trail', 'tested/empty');
    expect(empty.code).toBe(3);
    expect(empty.stdout).toContain('✕ INCOMPLETE tested/empty — required evidence is missing');
    expect(empty.stdout).toContain("fix: Report an attestation named 'unit-tests' of type generic on the trail.");
  });

  it('5 and 2: not there, or not a trail', async () => {
    expect((await ask('trail', 'tested/nope')).code).toBe(5);
    expect((await ask('trail', 'a/b/c')).code).toBe(2);
    expect((await ask('trail', 'good')).stderr).toContain('No flow is set');
  });

  it('answers as the API does', async () => {
    const { stdout } = await ask('trail', 'tested/bad', '--json');
    expect(getTrail.reply.parse(JSON.parse(stdout))).toMatchObject({ name: 'bad' });
  });

  it('waits until it is compliant', async () => {
    let printed = '';
    const line = ['assert', 'trail', 'tested/soon', '--wait', '30s'];
    const waiting = cli.run(line, { onWrite: (text) => (printed += text) });
    await expect.poll(() => printed).toContain('waiting');
    await attest(api, 'tested', 'soon', { attestation_name: 'unit-tests', is_compliant: true });
    const { code, stderr } = await waiting;
    expect([code, stderr]).toEqual([0, expect.stringContaining('INCOMPLETE tested/soon; waiting up to 30 s')]);
  });

  it('learns of it by events, without polling', async () => {
    const feed = givenFeed(api);
    await givenTrail(api, 'tested', 'heard');
    await feed.untilDone();
    withoutTurns(5_000);
    let isListening = false;
    api.app.http.server.on('request', ({ url }: IncomingMessage) => {
      isListening ||= url?.includes('/events/') === true;
    });
    const waiting = ask('trail', 'tested/heard', '--wait', '1h');
    await expect.poll(() => isListening).toBe(true);
    await attest(api, 'tested', 'heard', { attestation_name: 'unit-tests', is_compliant: true });
    await feed.untilDone();
    expect((await waiting).code).toBe(0);
  });

  it('ends with the current verdict when the wait is over, and at once when it is interrupted', async () => {
    expect((await ask('trail', 'tested/empty', '--wait', '400ms')).code).toBe(3);
    expect((await ask('trail', 'tested/nope', '--wait', '1ms')).code).toBe(5);
    const signal = AbortSignal.timeout(300);
    const { code } = await cli.run(['assert', 'trail', 'tested/empty', '--wait', '1h'], { signal });
    expect(code).toBe(130);
  });
});

it('takes a verdict on tests from the service only', async () => {
  await givenTrail(api, 'shop', 'judged');
  const params = { flow_name: 'shop', trail_name: 'judged' };
  const junit_results = [{ name: 's', failures: 1, errors: 0, skipped: 0, total: 1, duration: 0 }];
  await api.call(attestJunit, { params, body: { attestation_name: 'tests', junit_results } });
  expect((await ask('trail', 'shop/judged')).code).toBe(3);
});
