import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createServiceAccountKey,
  getArtifact,
  getSnapshot,
  getTrail,
  type KeyScope,
  listAttestations,
  listRepos,
} from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNpmRegistry } from '../../../tools/release/npm-registry.ts';
import { publishPackage } from '../../../tools/release/publish.ts';
import { isFull, sample } from '../../../tools/test-size.ts';
import { complaintsAbout, readCommands } from '../../server/test/guards/pages/shell.ts';
import { startApi } from '../../server/test/harness.ts';
import { pipelineNames, pipelines } from '../src/commands/init/pipelines.ts';
import { addressOf } from './given-cli.ts';
import { givenPackage, givenRegistry, ROOT } from './given-package.ts';
import { type CiEvent, isDeployed, readSteps, type Step, stepsOf, systems } from './pipelines/example-steps.ts';
import { givenForge } from './pipelines/fake-forge.ts';
import { givenJob, type Job, removeJob, runStep } from './pipelines/given-job.ts';

const TELLS_LATER_STEPS = ['github', 'gitlab', 'azure', 'teamcity'];

// Before the server starts, which must not be held up by programs that this process waits for.
const registry = await publishedPackage();
const api = await startApi();
// Commands send the time of this machine, and a busy one needs longer than the server tolerates.
Object.defineProperty(api.clock, 'now', { get: () => new Date() });
const forge = await givenForge();
const tools = mkdtempSync(join(tmpdir(), 'waymark-tools-'));
afterAll(() => rmSync(tools, { recursive: true }));
const jobs: Job[] = [];
afterAll(() => jobs.forEach(removeJob));

let common: Record<string, string>;
let host: string;

beforeAll(async () => {
  host = await addressOf(api);
  // Commands of an agent that has no server here.
  writeFileSync(join(tools, 'buildkite-agent'), '#!/bin/sh\ncat > /dev/null\n');
  chmodSync(join(tools, 'buildkite-agent'), 0o755);
  common = {
    PATH: `${tools}:${join(process.execPath, '..')}:/usr/local/bin:/usr/bin:/bin`,
    WAYMARK_TOKEN: api.org.keys.admin,
    WAYMARK_REPORTER_TOKEN: await keyWith('snapshotter', { kind: 'snapshot', environments: ['production'] }),
    // Other tests exchange the tokens of CI systems.
    WAYMARK_AUTH: 'token',
    NPM_CONFIG_REGISTRY: registry,
    NPM_CONFIG_CACHE: join(tools, 'npm-cache'),
    NPM_CONFIG_UPDATE_NOTIFIER: 'false',
  };
  const preparation = await readCommands('../integrations/examples/README.md');
  expect(preparation.length).toBeGreaterThan(0);
  const env = {
    PATH: `${join(ROOT, 'bin')}:${common['PATH']}`,
    HOME: tools,
    WAYMARK_HOST: host,
    WAYMARK_ORG: api.org.name,
    WAYMARK_TOKEN: api.org.keys.admin,
  };
  expect(await complaintsAbout(preparation, env)).toEqual([]);
}, 600_000);

type System = (typeof systems)[number];

/** In full size the registry of a dry run, to which the package is published as a release is. */
async function publishedPackage(): Promise<string> {
  const packed = await givenPackage();
  if (!isFull) return givenRegistry(packed);
  const npm = await startNpmRegistry();
  afterAll(npm.stop);
  publishPackage(packed.tarball, npm);
  return npm.url;
}

async function keyWith(name: 'member' | 'snapshotter', scope: KeyScope): Promise<string> {
  const input = { params: { name }, body: { description: 'ci', scope } };
  const { status, body } = await api.call(createServiceAccountKey, input);
  expect(status).toBe(201);
  return body.key;
}

function newJob(system: System, event: CiEvent): Job {
  const job = givenJob(system, event, common);
  jobs.push(job);
  return job;
}

async function runAll(job: Job, steps: readonly Step[]): Promise<void> {
  expect(steps.length).toBeGreaterThan(0);
  for (const step of steps) {
    const { code, output } = await runStep(job, step);
    expect(code, `${step.script}\n${output}`).toBe(0);
  }
}

async function runExample(system: System, event: CiEvent): Promise<{ job: Job; steps: Step[] }> {
  const job = newJob(system, event);
  const replaced = { 'https://waymark.example.com': host, '/srv/app': join(job.root, 'srv/app') };
  const token = await keyWith('member', { kind: 'evidence', flows: ['web'] });
  const reporterToken = common['WAYMARK_REPORTER_TOKEN'] ?? '';
  const steps = stepsOf(system, { event, branch: job.expected.branch }, { replaced, token, reporterToken });
  await runAll(job, steps);
  return { job, steps };
}

/** As in the API, for any caller. */
async function recordedOf({ checkout, expected }: Job) {
  const fingerprint = createHash('sha256')
    .update(readFileSync(join(checkout, 'dist/app.tgz')))
    .digest('hex');
  const trail = await api.call(getTrail, { params: { flow_name: 'web', trail_name: expected.commit } });
  const artifact = await api.call(getArtifact, { params: { flow_name: 'web', fingerprint } });
  expect([trail.status, artifact.status]).toEqual([200, 200]);
  return { fingerprint, trail: trail.body, artifact: artifact.body };
}

async function expectRecorded(job: Job): Promise<string> {
  const { commit, branch, commitUrl, buildUrl, repository, pullRequest } = job.expected;
  const pull = pullRequest && { pull_request: { number: pullRequest.number } };
  const { fingerprint, trail, artifact } = await recordedOf(job);
  expect(trail).toMatchObject({
    git_commit_info: { sha1: commit, branch, url: commitUrl, ...pull },
    origin_url: buildUrl,
  });
  expect(artifact).toMatchObject({
    trail_name: commit,
    template_reference_name: 'app',
    filename: 'app.tgz',
    git_commit: commit,
    git_commit_info: { sha1: commit, branch, ...pull },
    commit_url: commitUrl,
    build_url: buildUrl,
    repo_info: { ...repository },
  });
  const { body } = await api.call(listRepos, { query: { name: repository.name } });
  const found = body.repos.filter(({ id }) => trail.repo_ids.includes(id));
  expect(found).toMatchObject([{ name: repository.name, url: repository.url, repo_id: repository.id ?? '' }]);
  if (TELLS_LATER_STEPS.includes(job.expected.provider)) expect(job.env).toMatchObject({ WAYMARK_TRAIL: commit });
  expect(job.output).not.toContain('never-show');
  expect(job.output).not.toContain(api.org.keys.admin);
  return fingerprint;
}

describe.each(sample(systems, 3))('the example for %s', { timeout: 600_000 }, (system) => {
  it.concurrent('records a push and its deployment', async () => {
    const { job } = await runExample(system, 'push');
    const fingerprint = await expectRecorded(job);
    if (!isDeployed({ event: 'push', branch: job.expected.branch })) return;
    const { body } = await api.call(getSnapshot, { params: { env_name: 'production', snapshot_expression: '-1' } });
    expect(body.artifacts.filter((running) => running.fingerprint === fingerprint)).toMatchObject([
      { compliant: true, flow_name: 'web' },
    ]);
  });

  it.concurrent('records a pull request by its head, and deploys nothing', async () => {
    const { job, steps } = await runExample(system, 'pull-request');
    await expectRecorded(job);
    // The address of the forge is not part of the examples.
    const token = Object.fromEntries(
      ['GITHUB_TOKEN', 'BITBUCKET_TOKEN', 'GITLAB_TOKEN'].map((name) => [name, 'secret']),
    );
    const script = `PATH="$(printf '%s:' "$HOME"/tmp/*/bin)$PATH" waymark attest pr --flow web --host ${host} --org acme --api-url ${forge}`;
    const { code, output } = await runStep(job, { script, env: { ...steps.at(-1)?.env, ...token } });
    expect(code, output).toBe(0);
    const { body } = await api.call(listAttestations, { query: { type: 'pull_request', flow: 'web', per_page: '1' } });
    const { number } = job.expected.pullRequest ?? {};
    expect(body.data).toMatchObject([
      {
        trail_name: job.expected.commit,
        git_commit_info: { sha1: job.expected.commit },
        attestation_data: {
          pull_requests: [{ url: expect.stringMatching(new RegExp(`/${number}$`)), head_ref: 'feature/login' }],
        },
      },
    ]);
  });
});

it.each(pipelineNames as System[])(
  'the pipeline that init writes for %s begins a trail as pasted',
  { timeout: 600_000 },
  async (system) => {
    const job = newJob(system, 'push');
    const init = `PATH='${join(ROOT, 'bin')}':"$PATH" waymark init --ci ${system} --write --host ${host} --org acme --flow web`;
    await runAll(job, [{ script: init, env: {} }]);
    const text = readFileSync(join(job.checkout, pipelines[system]?.file ?? ''), 'utf8');
    const values = { replaced: {}, token: api.org.keys.admin };
    await runAll(job, readSteps(system, text, { event: 'push', branch: 'main' }, values));
    const { commit, branch, buildUrl } = job.expected;
    const trail = await api.call(getTrail, { params: { flow_name: 'web', trail_name: commit } });
    expect(trail.body).toMatchObject({ git_commit_info: { sha1: commit, branch }, origin_url: buildUrl });
  },
);
