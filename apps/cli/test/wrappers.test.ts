import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { version } from '../src/run/version.ts';
import { ROOT } from './given-package.ts';
import { actionSteps, componentJobs } from './pipelines/example-steps.ts';
import { type Job, runStep } from './pipelines/given-job.ts';

/** A stand-in for the binary: only the download matters here. */
const PROGRAM = '#!/bin/sh\necho "ran with $# words: $*"\n';
const SHA256 = createHash('sha256').update(PROGRAM).digest('hex');

const root = mkdtempSync(join(tmpdir(), 'waymark-wrappers-'));
afterAll(() => rmSync(root, { recursive: true }));
const server = createServer((_, response) => response.end(PROGRAM)).listen(0, '127.0.0.1');
afterAll(() => void server.close());
let url: string;

beforeAll(async () => {
  if (!server.listening) await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/waymark-linux-x64`;
});

let count = 0;

function givenRunner(): Job {
  count += 1;
  const place = join(root, `job-${count}`);
  mkdirSync(join(place, 'checkout'), { recursive: true });
  const file = (name: string) => {
    writeFileSync(join(place, name), '');
    return join(place, name);
  };
  const env = {
    PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`,
    HOME: place,
    RUNNER_TEMP: place,
    CI_PROJECT_DIR: join(place, 'checkout'),
    GITHUB_ENV: file('env'),
    GITHUB_PATH: file('path'),
    NPM_CONFIG_REGISTRY: 'http://127.0.0.1:1/',
    NPM_CONFIG_FETCH_RETRIES: '0',
    NPM_CONFIG_CACHE: join(root, 'npm-cache'),
  };
  const expected = undefined as unknown as Job['expected'];
  return { root: place, checkout: join(place, 'checkout'), env, expected, output: '' };
}

async function runAction(inputs: Record<string, string>): Promise<{ job: Job; code: number | null }> {
  const job = givenRunner();
  for (const step of actionSteps(inputs)) {
    const { code } = await runStep(job, step);
    if (code !== 0) return { job, code };
  }
  return { job, code: 0 };
}

describe('the action for GitHub', () => {
  it('installs a binary with the right digest, and sets the inputs', async () => {
    const { job, code } = await runAction({
      'binary-url': url,
      'binary-sha256': SHA256,
      host: 'https://waymark.example.com',
      org: 'acme',
      command: 'begin trail  release-1\n--flow shop',
    });
    expect(code, job.output).toBe(0);
    expect(job.output).toContain('ran with 5 words: begin trail release-1 --flow shop');
    expect(readFileSync(join(job.root, 'env'), 'utf8')).toBe(
      'WAYMARK_HOST=https://waymark.example.com\nWAYMARK_ORG=acme\n',
    );
    expect(job.env['PATH']).toMatch(new RegExp(`^${job.root}/waymark-cli/bin:`));
  });

  it('runs no shell on its inputs', async () => {
    const { job, code } = await runAction({
      'binary-url': url,
      'binary-sha256': SHA256,
      command: 'begin $(touch made) `touch made`; touch made',
    });
    expect(code, job.output).toBe(0);
    expect(job.output).toContain('begin $(touch made) `touch made`; touch made');
    expect(statSync(join(job.checkout, 'made'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('refuses a binary with another digest, or without one', async () => {
    for (const sha256 of ['0'.repeat(64), '', 'latest']) {
      const { job, code } = await runAction({ 'binary-url': url, 'binary-sha256': sha256 });
      expect(code).toBe(1);
      expect(job.output).toMatch(/^::error title=Waymark cannot be installed::/);
      expect(statSync(join(job.root, 'waymark-cli/bin/waymark'), { throwIfNoEntry: false })).toBeUndefined();
      expect(readFileSync(join(job.root, 'path'), 'utf8')).toBe('');
    }
  });

  it('refuses a range of versions', async () => {
    for (const range of ['latest', '^0.1.0', '0.1', '', '0.1.0 --registry=http://127.0.0.1:1']) {
      const { job, code } = await runAction({ version: range });
      expect(code).toBe(1);
      expect(job.output).toContain('version must be one version');
    }
  });

  it("sets no variable of an attacker's choice", async () => {
    const { job, code } = await runAction({
      'binary-url': url,
      'binary-sha256': SHA256,
      org: 'acme\nPATH=/tmp/evil',
    });
    expect(code).toBe(1);
    expect(readFileSync(join(job.root, 'env'), 'utf8')).toBe('');
  });

  it('has the version of the sources, and no input in a script', () => {
    const { inputs, runs } = parse(readFileSync(join(ROOT, 'integrations/github/action.yml'), 'utf8'));
    expect(inputs.version.default).toBe(version);
    for (const { run } of runs.steps) expect(run).not.toContain('${{');
  });
});

describe('the component for GitLab', () => {
  const inputs = { host: 'https://waymark.example.com', org: 'acme', flow: 'web' };
  const scriptOf = (jobs: ReturnType<typeof componentJobs>) =>
    ['set -eo pipefail', ...(jobs['.waymark']?.before_script ?? []), 'waymark begin trail'].join('\n');

  it('requests a token for the org at this service', () => {
    expect(componentJobs(inputs)).toMatchObject({
      '.waymark': { id_tokens: { WAYMARK_ID_TOKEN: { aud: 'https://waymark.example.com/acme' } } },
      'waymark begin trail': { extends: '.waymark', artifacts: { reports: { dotenv: 'waymark.env' } } },
    });
  });

  it('installs a binary with the right digest only', async () => {
    for (const [sha256, expected] of [
      [SHA256, 0],
      ['0'.repeat(64), 1],
      ['', 1],
    ] as const) {
      const jobs = componentJobs({ ...inputs, 'binary-url': url, 'binary-sha256': sha256 });
      const job = givenRunner();
      const { code, output } = await runStep(job, { script: scriptOf(jobs), env: jobs['.waymark']?.variables ?? {} });
      expect(code, output).toBe(expected);
      expect(output.includes('ran with 2 words: begin trail')).toBe(expected === 0);
    }
  });

  it('runs no program from the checkout or a cache', async () => {
    const jobs = componentJobs({ ...inputs, 'binary-url': url, 'binary-sha256': SHA256 });
    const job = givenRunner();
    const planted = join(job.checkout, '.waymark-cli/bin');
    mkdirSync(planted, { recursive: true });
    writeFileSync(join(planted, 'waymark'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    const { code, output } = await runStep(job, { script: scriptOf(jobs), env: jobs['.waymark']?.variables ?? {} });
    expect(code, output).toBe(0);
    expect(output).toContain('ran with 2 words: begin trail');
    expect(output).not.toContain('planted');
  });

  it.each([
    ['0.1.0', 0],
    ['0.0.9', 1],
  ])('runs the npm package only in the requested version (it says %s)', async (installed, expected) => {
    const jobs = componentJobs({ ...inputs, version: '0.1.0' });
    const job = givenRunner();
    const tools = join(job.root, 'tools');
    mkdirSync(tools);
    // A stand-in for npm, which would need a registry.
    const program = `#!/bin/sh\n[ "$1" = --version ] && echo ${installed} || echo "ran $*"\n`;
    const npm = `#!/bin/sh\ncat > "$4/bin/waymark" <<'END'\n${program}END\nchmod +x "$4/bin/waymark"\n`;
    writeFileSync(join(tools, 'npm'), npm, { mode: 0o755 });
    const env = { ...jobs['.waymark']?.variables, PATH: `${tools}:${job.env['PATH']}` };
    const { code, output } = await runStep(job, { script: scriptOf(jobs), env });
    expect(code, output).toBe(expected);
    expect(output.includes('ran begin trail')).toBe(expected === 0);
  });

  it('takes exactly one version, by default that of the sources', () => {
    const [header = ''] = readFileSync(join(ROOT, 'integrations/gitlab/templates/waymark.yml'), 'utf8').split('---');
    const { version: given } = parse(header).spec.inputs;
    expect(given.default).toBe(version);
    expect(['0.1.0', '1.2.3-rc.1'].every((text) => new RegExp(given.regex).test(text))).toBe(true);
    expect(['latest', '^0.1.0', '0.1', '0.1.0 x', '$(id)'].some((text) => new RegExp(given.regex).test(text))).toBe(
      false,
    );
  });
});

describe('the examples', () => {
  it('install the version of the sources', () => {
    const files = ['Jenkinsfile', 'circleci.yml', 'azure-pipelines.yml', 'bitbucket-pipelines.yml', 'buildkite.yml'];
    for (const file of [...files, 'harness.yml', 'teamcity-settings.kts']) {
      const text = readFileSync(join(ROOT, 'integrations/examples', file), 'utf8');
      const versions = [...text.matchAll(/@waymark\/cli@(\S+?)(?=['"\s])/g)].map(([, found]) => found);
      expect(new Set(versions), file).toEqual(new Set([version]));
    }
  });
});
