import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  allowArtifact,
  explainArtifact,
  explainEnvironment,
  explainSnapshot,
  explainTrail,
  putEnvironment,
} from '@waymark/contract';
import { fingerprintFile } from '@waymark/fingerprint';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenEnvironment, givenHeartbeat } from '../../../../server/test/given/environments.ts';
import { fingerprint } from '../../../../server/test/given/evidence.ts';
import { givenAttached } from '../../../../server/test/given/policies.ts';
import { givenRunning } from '../../../../server/test/given/runs.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenSignedIn } from '../../../test/given-cli.ts';
import { givenPlainArtifact, givenStory } from '../../../test/given-story.ts';

const api = await startApi();
const cli = await givenSignedIn(api);

beforeAll(async () => {
  await givenStory(api);
  for (const digit of ['1', '2', '3', '4', '5']) await givenPlainArtifact(api, 'plain', digit);
  await givenEnvironment(api, 'mixed');
  await givenAttached(api, 'mixed', ['provenance']);
  await givenRunning(api, 'mixed', { one: '1', two: '2', three: '3', four: '4', five: '5', ghost: 'd' });
});

const why = (...line: string[]) => cli.run(['why', '--utc', ...line]);

describe('an environment', () => {
  it('reports once that nothing is judged there', async () => {
    await givenEnvironment(api, 'free');
    await givenRunning(api, 'free', { backend: 'a', ghost: 'd' });
    expect((await why('free')).stdout).toBe(
      [
        '? free is unknown',
        "  because  No policy is attached to environment 'free', so nothing is judged.",
        '├─ ? backend (aaaaaaaaaaaa)',
        '└─ ? ghost (dddddddddddd)',
        "To fix: Attach a policy to environment 'free'.",
        '',
      ].join('\n'),
    );
    expect((await why('free', '-o', 'markdown')).stdout.match(/nothing is judged/g)).toHaveLength(1);
  });

  it('shows what each rule needs, what was found and why, and ends with what to do', async () => {
    const { code, stdout, stderr } = await why('prod');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('✕ prod is non-compliant');
    expect(lines[1]).toMatch(/^ {2}since \d{4}-\d\d-\d\d \d\d:\d\d \(.+\), snapshot 1$/);
    expect(stdout).toContain(
      [
        '├─ ✕ backend (aaaaaaaaaaaa)',
        '│  ├─ ✓ policy provenance, version 1  1 rule applied and satisfied.',
        '│  └─ ✕ policy strict, version 1',
        '│     ├─ ✕ rule 1',
        "│     │    needs    A compliant attestation named 'unit-tests' of type generic.",
        '│     │    found    unit-tests (generic), not compliant, ',
      ].join('\n'),
    );
    expect(stdout).toContain('          found    nothing\n');
    expect(lines.at(-2)).toBe('  3. Report artifact dddddddddddd to the flow that builds it. (ghost)');
    expect(stdout.split('To fix:')[1]).toContain("1. Fix what 'unit-tests' found");
  });

  it('folds what passes, and --all unfolds it', async () => {
    const folded = (await why('mixed')).stdout;
    expect(folded).toContain('├─ ✕ ghost (dddddddddddd)');
    expect(folded).toContain('└─ ✓ 5 more pass; show them with --all');
    expect(folded).not.toContain('three');
    const all = (await why('mixed', '--all')).stdout;
    expect(all).toContain('✓ three (333333333333)');
    expect(all).toContain("because  The artifact was reported to flow 'plain'");
    expect(all).not.toContain('more pass');
  });

  it('is the response of the API as JSON', async () => {
    const now = await why('prod', '-o', 'json');
    expect(explainEnvironment.reply.parse(JSON.parse(now.stdout))).toMatchObject({
      is_stored: false,
      snapshot_index: 1,
    });
    for (const expression of ['prod#1', 'prod~0', 'prod@{now}', 'prod@1', 'prod#-1']) {
      const then = await why(expression, '--json');
      expect(explainSnapshot.reply.parse(JSON.parse(then.stdout)), expression).toMatchObject({ is_stored: true });
    }
    expect((await why('prod#1')).stdout).toContain('✕ prod#1 is non-compliant');
  });

  it('explains an invalid expression, a missing snapshot and a missing environment', async () => {
    const wrong = await why('prod@yesterday');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("'prod@yesterday' is not a snapshot");
    expect(wrong.stderr).toContain('quote # and {}, which shells interpret');
    expect((await why('prod#99')).code).toBe(5);
    expect((await why('nowhere')).code).toBe(5);
    expect((await why('')).code).toBe(2);
  });

  it('ends like an assertion with --exit-code only', async () => {
    expect((await why('prod', '--exit-code')).code).toBe(3);
    expect((await why('staging')).code).toBe(0);
    const unknown = await why('staging', '--exit-code');
    expect(unknown.code).toBe(8);
    expect(unknown.stdout).toContain('because  No report has arrived yet.');
    await givenEnvironment(api, 'fine');
    await givenAttached(api, 'fine', ['provenance']);
    await givenRunning(api, 'fine', { one: '1' });
    expect((await why('fine', '--exit-code')).code).toBe(0);
  });

  it.each([
    { name: 'late', runs: '1', code: 8, says: '? late is unknown\n', state: '\\? unknown' },
    { name: 'late-bad', runs: 'd', code: 3, says: '✕ late-bad is non-compliant\n', state: '✕ NON-COMPLIANT' },
  ])('is out of date when a report is overdue: $name', async ({ name, runs, code, says, state }) => {
    await givenEnvironment(api, name, 'server', { expected_report_interval_s: 60 });
    await givenAttached(api, name, ['provenance']);
    await givenRunning(api, name, { one: runs });
    await givenHeartbeat(api, name, new Date(api.clock.now.getTime() - 3_600_000));
    const result = await why(name, '--exit-code');
    expect([result.code, result.stdout.startsWith(says)]).toEqual([code, true]);
    expect(result.stdout).toMatch(/^ {2}Stale: the report has been overdue since /m);
    expect((await cli.run(['env', 'get', name])).stdout).toMatch(new RegExp(`^${state} \\(stale\\) {2}${name} `));
    expect((await cli.run(['env', 'list'])).stdout).toMatch(new RegExp(`^${state} +${name} .*\\(stale\\)`, 'm'));
  });

  it('shows waivers and their reasons', async () => {
    await givenEnvironment(api, 'waived');
    await givenAttached(api, 'waived', ['provenance']);
    await givenRunning(api, 'waived', { ghost: 'd' });
    const listed = await api.call(allowArtifact, {
      params: { env_name: 'waived' },
      body: { artifact_fingerprint: fingerprint('d'), artifact_name: 'ghost', description: 'It is old' },
    });
    expect(listed.status).toBeLessThan(300);
    const { code, stdout } = await why('waived', '--exit-code');
    expect([code, stdout]).toEqual([0, expect.stringContaining('✓ ghost (dddddddddddd)')]);
    expect(stdout).toContain('It is old');
    expect(stdout).not.toContain('To fix');
  });

  it('names the members of a logical one', async () => {
    await api.call(putEnvironment, { body: { name: 'all', type: 'logical', included_environments: ['prod'] } });
    const { code, stderr } = await why('all');
    expect(code).toBe(2);
    expect(stderr).toContain('prod');
  });
});

describe('a trail', () => {
  it('shows each of its requirements', async () => {
    const { code, stdout } = await why('shop/release-1');
    expect(code).toBe(0);
    expect(stdout).toContain('✕ shop/release-1 is non-compliant');
    expect(stdout).toContain(
      "because  Artifact 'backend' lacks 'scan': no attestation of that name has been reported.",
    );
    expect(stdout.split('To fix:')[1]).toContain(
      "2. Report an attestation named 'scan' of type snyk on artifact 'backend'.",
    );
  });

  it('is the trail of the build by default, and JSON is the response of the API', async () => {
    const result = await cli.run(['why', '-o', 'json'], { env: { WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: 'release-1' } });
    expect(explainTrail.reply.parse(JSON.parse(result.stdout))).toMatchObject({ id: 'trail', status: 'NON-COMPLIANT' });
    const missing = await why();
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('No flow is set');
    expect((await why('shop/none')).code).toBe(5);
  });
});

describe('an artifact', () => {
  it('is explained by its trail, or by the policies of an environment', async () => {
    const alone = await why('aaaaa');
    expect(alone.stdout).toContain('✕ aaaaa of flow shop is non-compliant');
    expect(alone.stdout).not.toContain('policy');
    const there = await why('sha256:aaaaa', '--env', 'prod', '--exit-code');
    expect(there.code).toBe(3);
    expect(there.stdout).toContain('├─ ✕ policy strict, version 1');
    expect(there.stdout).toContain('└─ ✕ its trail: backend');
    const json = JSON.parse((await why('aaaaa', '--env', 'prod', '--json')).stdout);
    expect(explainArtifact.reply.parse(json)).toMatchObject({ environment: 'prod' });
  });

  it('suggests no fixes where nothing judges', async () => {
    const { code, stdout } = await why('aaaaa', '--env', 'staging', '--exit-code');
    expect(code).toBe(8);
    expect(stdout).toContain("because  No policy is attached to environment 'staging', so nothing is judged.");
    expect(stdout).not.toContain('To fix');
  });

  it('that was not reported is explained by what runs', async () => {
    const { code, stdout } = await why(fingerprint('d'), '--env', 'prod', '--exit-code');
    expect(code).toBe(3);
    expect(stdout).toContain('No flow reported it');
    expect((await why(fingerprint('e'))).code).toBe(5);
    expect((await why(fingerprint('e'), '--env', 'prod')).code).toBe(5);
  });

  it('can be a local file', async () => {
    const file = join(cli.cwd, 'app.bin');
    writeFileSync(file, 'the program');
    const digest = await fingerprintFile(file);
    await givenPlainArtifact(api, 'files', '6', { fingerprint: digest, filename: 'app.bin' });
    for (const path of ['./app.bin', 'app.bin', file]) {
      expect(await why(path), path).toMatchObject({ code: 0, stdout: expect.stringContaining('✓') });
    }
    const gone = await why('./gone.bin');
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain('./gone.bin');
  });

  it('of several flows asks which one', async () => {
    await givenPlainArtifact(api, 'other', '1');
    const { code, stderr } = await why(fingerprint('1'));
    expect(code).toBe(2);
    expect(stderr).toContain('Choose one with --flow');
    expect((await why(fingerprint('1'), '--flow', 'plain')).code).toBe(0);
    expect((await why(fingerprint('1'), '--env', 'mixed')).code).toBe(0);
  });

  it('is not taken with --env for something else', async () => {
    expect(await why('prod', '--env', 'prod')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('only with artifacts'),
    });
  });
});

const HOSTILE =
  'x\u001b[2J\u001b]0;owned\u0007\u202egnp\u2066\r\n| **b** | <img src=x onerror=a()> [a](javascript:a) `c`';

it('untrusted text is inert, on terminals and in Markdown', async () => {
  await givenPlainArtifact(api, 'hostile', '7', { trail_name: 't', filename: HOSTILE });
  const trail = 'hostile/t';
  for (const line of [[trail], [trail, '--all'], [trail, '-o', 'markdown'], [trail, '--color', 'never', '--all']]) {
    const { code, stdout } = await why(...line);
    expect(code).toBe(0);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(stdout.split('\n').filter((text) => text.startsWith('|'))).toEqual([]);
  }
  const { stdout } = await why(trail, '-o', 'markdown');
  expect(stdout).not.toMatch(/(?<!\\)[<[`]/);
  expect(stdout).toContain('\\<img src=x onerror=a\\(\\)\\>');
});
