import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getSnapshot, getTrail } from '@waymark/contract';
import { afterAll, expect, it } from 'vitest';
import { readBlocks } from '../../server/test/guards/pages/page-blocks.ts';
import { startApi } from '../../server/test/harness.ts';
import { startCiIssuer } from '../../server/test/oidc/ci-issuer.ts';
import { ROOT } from './given-package.ts';
import { type Step, stepsOf } from './pipelines/example-steps.ts';
import { givenJob, type Job, removeJob, runStep } from './pipelines/given-job.ts';

const tools = mkdtempSync(join(tmpdir(), 'waymark-tools-'));
afterAll(() => rmSync(tools, { recursive: true }));
const PATH = `${tools}:${join(ROOT, 'bin')}:${join(process.execPath, '..')}:/usr/local/bin:/usr/bin:/bin`;
const NOT_OF_GITHUB = {
  ...{ repository: undefined, repository_id: undefined, repository_owner: undefined, repository_owner_id: undefined },
  ...{ ref: undefined, ref_type: undefined, sha: undefined, event_name: undefined, run_id: undefined },
  ...{ workflow_ref: undefined, actor: undefined, actor_id: undefined, nbf: undefined, jti: undefined },
};

/** A service whose address is the audience of tokens, with the rules of a page for an issuer of made-up tokens. */
async function givenService(page: string) {
  const port = await freePort();
  const host = `http://127.0.0.1:${port}`;
  const api = await startApi({ publicUrl: host });
  Object.defineProperty(api.clock, 'now', { get: () => new Date() });
  await api.app.http.listen({ port, host: '127.0.0.1' });
  const issuer = await startCiIssuer({ now: () => new Date(), audience: `${host}/acme` });
  afterAll(() => issuer.close());
  const blocks = (await readBlocks(page)).filter(({ kind }) => kind === 'console').map(({ text }) => text);
  const setUp = blocks.filter((text) => /waymark apply|waymark trust add/.test(text));
  expect(setUp).toHaveLength(2);
  const script = setUp
    .join('\n')
    .replace(/ --issuer \S+/g, '')
    .replace(/(waymark trust add \w+ \S+)/g, `$1 --issuer ${issuer.url}`);
  const env = { PATH, HOME: tools, WAYMARK_HOST: host, WAYMARK_ORG: 'acme', WAYMARK_TOKEN: api.org.keys.admin };
  await promisify(execFile)('bash', ['-euc', script], { cwd: tools, env });
  const seconds = Math.floor(Date.now() / 1000);
  let made = 0;
  /** Each of another second, because they have no id. */
  const mint = (claims: object) => {
    const iat = seconds - ++made;
    return issuer.mint({ claims: { ...NOT_OF_GITHUB, iat, exp: iat + 3600, ...claims } });
  };
  return { api, host, mint };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

function givenSteps(system: 'bitbucket' | 'circleci' | 'gitlab', event: 'push' | 'pull-request', host: string) {
  const job = givenJob(system, event, { PATH, WAYMARK_AUTH: 'oidc' });
  afterAll(() => removeJob(job));
  const replaced = { 'https://waymark.example.com': host, '/srv/app': join(job.root, 'srv/app') };
  const steps = stepsOf(system, { event, branch: job.expected.branch }, { replaced, token: '' });
  // The command is the one of this repository.
  const place = `printf '#!/bin/sh\\nexec ${ROOT}/bin/waymark "$@"\\n' > "$waymark_cli/bin/waymark"; chmod +x "$waymark_cli/bin/waymark"`;
  const script = (text: string) =>
    text.replace(/^ *npm install .*$/gm, (line) => (line.includes('$waymark_cli') ? place : 'true'));
  return { job, steps: steps.map((step) => ({ ...step, script: script(step.script) })) };
}

async function run(job: Job, step: Step, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { code, output } = await runStep(job, { ...step, env: { ...step.env, ...env } });
  expect(code, `${step.script}\n${output}`).toBe(0);
  expect(output).not.toMatch(/wmk_/);
}

it('the pipeline for Bitbucket works with the rules of its page and one token for each step', async () => {
  const { api, host, mint } = await givenService('bitbucket-pipelines.md');
  const ofStep = (more: object = {}) => {
    const repositoryUuid = '{1b2c3d4e-5f60-4718-92a3-b4c5d6e7f809}';
    const stepUuid = `{${randomUUID()}}`;
    return mint({ repositoryUuid, stepUuid, sub: `${repositoryUuid}:${stepUuid}`, branchName: 'main', ...more });
  };
  const { job, steps } = givenSteps('bitbucket', 'push', host);
  const [build, deploy] = steps;
  if (!build || !deploy) throw new Error('the example has two steps');

  await run(job, build, { BITBUCKET_STEP_OIDC_TOKEN: await ofStep() });
  const untrusted = { ...deploy, env: { BITBUCKET_STEP_OIDC_TOKEN: await ofStep() } };
  expect((await runStep(job, untrusted)).code).toBe(4);
  const environment = { deploymentEnvironmentUuid: '{7c8d9e0f-1a2b-4c3d-8e4f-5a6b7c8d9e0f}' };
  await run(job, deploy, { BITBUCKET_STEP_OIDC_TOKEN: await ofStep(environment) });

  const params = { env_name: 'production', snapshot_expression: '-1' };
  expect((await api.call(getSnapshot, { params })).body.artifacts).toMatchObject([{ compliant: true }]);
  const proposed = givenSteps('bitbucket', 'pull-request', host);
  for (const step of proposed.steps) {
    await run(proposed.job, step, { BITBUCKET_STEP_OIDC_TOKEN: await ofStep({ branchName: 'feature/login' }) });
  }
}, 300_000);

it('the pipeline for GitLab works with the rules of its page and one token for each job', async () => {
  const { api, host, mint } = await givenService('gitlab-ci.md');
  const ofJob = (more: object = {}) =>
    mint({
      ...{ project_id: '278964', project_path: 'acme/web', jti: randomUUID() },
      ...{ sub: 'project_path:acme/web:ref_type:branch:ref:main', ref_type: 'branch', ref: 'main', ...more },
    });
  const { job, steps } = givenSteps('gitlab', 'push', host);
  const [begin, build, deploy] = steps;
  if (!begin || !build || !deploy) throw new Error('the example has three jobs');

  for (const step of [begin, build]) await run(job, step, { WAYMARK_ID_TOKEN: await ofJob() });
  const untrusted = { ...deploy, env: { ...deploy.env, WAYMARK_ID_TOKEN: await ofJob() } };
  expect((await runStep(job, untrusted)).code).toBe(4);
  const isProduction = { environment: 'production', ref_protected: 'true' };
  await run(job, deploy, { WAYMARK_ID_TOKEN: await ofJob(isProduction) });

  const params = { env_name: 'production', snapshot_expression: '-1' };
  expect((await api.call(getSnapshot, { params })).body.artifacts).toMatchObject([{ compliant: true }]);
}, 300_000);

it('the pipeline for CircleCI works with the rules of its page and a token for each command', async () => {
  const { api, host, mint } = await givenService('circleci.md');
  const project = '0a1b2c3d-4e5f-4607-8192-a3b4c5d6e7f8';
  const tokens = join(tools, 'tokens');
  /** Provides a token twice, as in the same second, before the next one. */
  const provide = async (ref: string) => {
    rmSync(tokens, { recursive: true, force: true });
    mkdirSync(tokens);
    for (let i = 10; i < 40; i += 2) {
      const token = await mint({
        sub: `org/${randomUUID()}/project/${project}/user/${randomUUID()}`,
        'oidc.circleci.com/project-id': project,
        'oidc.circleci.com/vcs-origin': 'github.com/acme/web',
        'oidc.circleci.com/vcs-ref': ref,
      });
      for (const name of [i, i + 1]) writeFileSync(join(tokens, String(name)), token);
    }
  };
  const pop = `#!/bin/sh -e\n[ "$1 $2 $3" = 'run oidc get' ]\nnext=$(ls '${tokens}' | head -n 1)\n`;
  writeFileSync(join(tools, 'circleci'), `${pop}cat '${tokens}'/"$next"\nrm '${tokens}'/"$next"\n`);
  chmodSync(join(tools, 'circleci'), 0o755);

  await provide('refs/heads/main');
  const pushed = givenSteps('circleci', 'push', host);
  for (const step of pushed.steps) await run(pushed.job, step);
  await provide('refs/heads/feature/login');
  const proposed = givenSteps('circleci', 'pull-request', host);
  for (const step of proposed.steps) await run(proposed.job, step);

  const params = { env_name: 'production', snapshot_expression: '-1' };
  expect((await api.call(getSnapshot, { params })).body.artifacts).toMatchObject([{ compliant: true }]);
  for (const { job } of [pushed, proposed]) {
    const trail = await api.call(getTrail, { params: { flow_name: 'web', trail_name: job.expected.commit } });
    expect(trail.status).toBe(200);
  }
}, 300_000);
