import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Contract, listSnapshots, REPORT_MAX_BYTES, reportEcs, reportLambda, reportS3 } from '@waymark/contract';
import { afterAll, expect, it } from 'vitest';
import { givenEnvironment } from '../../../server/test/given/environments.ts';
import { complaintsAbout, readCommands } from '../../../server/test/guards/pages/shell.ts';
import { startApi } from '../../../server/test/harness.ts';
import { addressOf } from '../../test/given-cli.ts';
import { ROOT } from '../../test/given-package.ts';
import type { ReportType } from './report.ts';
import { readReportFile } from './report-file.ts';

const run = promisify(execFile);
const api = await startApi();
const cwd = await mkdtemp(join(tmpdir(), 'waymark-report-'));
const document = await readFile(new URL('../../../../docs/reporters.md', import.meta.url), 'utf8');

afterAll(() => rm(cwd, { recursive: true }));

const stdinOf = (text: string) => async () => Buffer.from(text);
const noStdin = () => Promise.reject(new Error('nobody should read it'));
const fixturePath = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

/** A recipe of the document, run by jq unchanged. */
async function recipe(name: string, args: readonly string[], input: string): Promise<string> {
  const [, script] = new RegExp(`\`${name}\\.jq\`:\\n\\n\`\`\`jq\\n(.*?)\`\`\``, 's').exec(document) ?? [];
  await writeFile(join(cwd, `${name}.jq`), script ?? '');
  const { stdout } = await run('jq', [...args, '-f', join(cwd, `${name}.jq`), input]);
  await writeFile(join(cwd, `${name}.json`), stdout);
  return `${name}.json`;
}

async function snapshotBy(contract: Contract, type: ReportType, body: unknown): Promise<unknown> {
  await givenEnvironment(api, type, type === 'azure-apps' ? 'cloudx-apps' : type);
  const answer = await api.call(contract, { params: { org: api.org.name, env_name: type }, body });
  return answer.headers['waymark-snapshot'] ?? answer.body;
}

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('hex');

it('makes a report from aws ecs describe-tasks', async () => {
  const file = await recipe('ecs', ['-s'], fixturePath('aws-ecs-describe-tasks.json'));
  const report = await readReportFile(file, { cwd, stdin: noStdin, type: 'ECS' });
  const task = 'arn:aws:ecs:eu-west-1:123456789012:task/shop';
  expect(report).toEqual({
    type: 'ECS',
    artifacts: [
      {
        taskArn: `${task}/0f1e2d3c4b5a69788796a5b4c3d2e1f0`,
        cluster_name: 'shop',
        service_name: 'web',
        digests: {
          'ghcr.io/acme/web:1.9.1': 'a'.repeat(64),
          'public.ecr.aws/aws-observability/aws-for-fluent-bit:2': 'b'.repeat(64),
        },
        creationTimestamp: Date.parse('2026-03-02T08:00:05Z') / 1000,
      },
      {
        taskArn: `${task}/1f1e2d3c4b5a69788796a5b4c3d2e1f1`,
        cluster_name: 'shop',
        service_name: null,
        digests: { 'ghcr.io/acme/batch:3': '' },
        creationTimestamp: Date.parse('2026-03-02T08:00:05Z') / 1000,
      },
    ],
  });
  expect(await snapshotBy(reportEcs, 'ECS', report)).toBe('1; created');
});

it('makes a report from aws lambda list-functions', async () => {
  const file = await recipe('lambda', [], fixturePath('aws-lambda-list-functions.json'));
  const report = await readReportFile(file, { cwd, stdin: noStdin });
  expect(report).toEqual({
    type: 'lambda',
    artifacts: [
      { digests: { resize: ALL_BYTES.slice(0, 64) }, creationTimestamp: Date.parse('2026-03-02T08:00:05Z') / 1000 },
      { digests: { notify: ALL_BYTES.slice(-64) }, creationTimestamp: Date.parse('2026-03-02T09:00:05Z') / 1000 },
      { digests: { render: 'e'.repeat(64) }, creationTimestamp: Date.parse('2026-03-02T08:00:07Z') / 1000 },
    ],
  });
  expect(await snapshotBy(reportLambda, 'lambda', report)).toBe('1; created');
});

it('makes a report from aws s3api head-object, and refuses a composite checksum', async () => {
  const input = fixturePath('aws-s3-head-object.json');
  const report = await readReportFile(await recipe('s3', ['--arg', 'name', 'shop.zip'], input), {
    cwd,
    stdin: noStdin,
  });
  expect(report).toEqual({
    type: 'S3',
    artifacts: [
      { digests: { 'shop.zip': ALL_BYTES.slice(0, 64) }, creationTimestamp: Date.parse('2026-03-02T08:00:05Z') / 1000 },
    ],
  });
  expect(await snapshotBy(reportS3, 'S3', report)).toBe('1; created');
  const composite = join(cwd, 'composite.json');
  const object = JSON.parse(await readFile(input, 'utf8')) as { ChecksumSHA256: string };
  await writeFile(
    composite,
    JSON.stringify({ ...object, ChecksumSHA256: `${object.ChecksumSHA256}-3`, ChecksumType: 'COMPOSITE' }),
  );
  await expect(recipe('s3', ['--arg', 'name', 'shop.zip'], composite)).rejects.toThrow(
    'shop.zip has no SHA-256 of the whole object',
  );
});

it('reads standard input, by the type of the report or of the environment', async () => {
  const artifacts = [{ digests: { web: 'a'.repeat(64) }, creationTimestamp: 1 }];
  const own = { cwd, stdin: stdinOf(JSON.stringify({ type: 'docker', artifacts })) };
  expect(await readReportFile('-', own)).toEqual({ type: 'docker', artifacts });
  const options = { cwd, stdin: stdinOf(JSON.stringify({ artifacts })), type: 'server' as const };
  expect(await readReportFile('-', options)).toEqual({ type: 'server', artifacts });
});

it.each<[string, string, ReportType | undefined, object]>([
  ['nothing', ' \n', 'ECS', { message: 'No report in standard input: it is empty' }],
  ['no JSON', '{"type":', 'ECS', { message: 'The report in standard input is not JSON' }],
  ['no type', '{"artifacts":[]}', undefined, { message: 'The report in standard input has no type' }],
  [
    'an unknown type',
    '{"type":"toString","artifacts":[]}',
    undefined,
    { fix: expect.stringContaining('K8S, ECS, S3') },
  ],
  ['another type', '{"type":"S3","artifacts":[]}', 'ECS', { message: expect.stringContaining('"S3", not "ECS"') }],
  ['null', 'null', 'ECS', { message: 'The report in standard input does not match type ECS' }],
  ['no artifacts', '{"type":"docker"}', undefined, { why: expect.stringContaining('artifacts: ') }],
  [
    'a digest that is none',
    '{"type":"docker","artifacts":[{"digests":{"web":"sha256:x"},"creationTimestamp":1}]}',
    undefined,
    { why: 'artifacts.0.digests.web: must be 64 hexadecimal digits' },
  ],
  [
    'too much',
    JSON.stringify('x'.repeat(REPORT_MAX_BYTES)),
    'ECS',
    { message: expect.stringContaining('the limit is 8388608') },
  ],
])('refuses %s', async (_, text, type, details) => {
  const options = { cwd, stdin: stdinOf(text), ...(type && { type }) };
  await expect(readReportFile('-', options)).rejects.toMatchObject({ ending: 'usage', ...details });
});

it('reports the first of many faults', async () => {
  const artifacts = Array.from({ length: 50 }, () => ({ digests: {}, creationTimestamp: -1 }));
  const options = { cwd, stdin: stdinOf(JSON.stringify({ type: 'docker', artifacts })) };
  await expect(readReportFile('-', options)).rejects.toMatchObject({ why: expect.stringMatching(/, and 45 more$/) });
});

/** The cloud's own program: prints recorded output. */
const AWS = `#!/bin/sh
case "$1 $2" in
  'ecs list-tasks') echo '{"taskArns":["arn:aws:ecs:eu-west-1:123456789012:task/shop/0f1e2d3c4b5a69788796a5b4c3d2e1f0"]}' ;;
  'ecs describe-tasks') cat '${fixturePath('aws-ecs-describe-tasks.json')}' ;;
  'lambda list-functions') cat '${fixturePath('aws-lambda-list-functions.json')}' ;;
  's3api head-object') cat '${fixturePath('aws-s3-head-object.json')}' ;;
  *) exit 1 ;;
esac
`;

it('the document reports ECS, Lambda and S3 with the commands that it shows', { timeout: 300_000 }, async () => {
  await givenEnvironment(api, 'prod', 'ECS');
  await givenEnvironment(api, 'functions-prod', 'lambda');
  await givenEnvironment(api, 'releases', 'S3');
  await writeFile(join(cwd, 'aws'), AWS, { mode: 0o755 });
  const recipes = [...document.matchAll(/`(\w+\.jq)`:\n\n```jq\n(.*?)```/gs)];
  const given = recipes.map(([, name, script]) => ({
    line: 0,
    text: `cat > ${name} <<'JQ'\n${script}JQ`,
    output: undefined,
  }));
  const shown = await readCommands('reporters.md');
  expect([given.length, shown.length]).toEqual([3, 3]);
  const env = {
    PATH: `${cwd}:${join(ROOT, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: cwd,
    WAYMARK_HOST: await addressOf(api),
    WAYMARK_ORG: api.org.name,
    WAYMARK_TOKEN: api.org.keys.admin,
  };
  expect(await complaintsAbout([...given, ...shown], env)).toEqual([]);
  for (const env_name of ['prod', 'functions-prod', 'releases']) {
    expect(await api.call(listSnapshots, { params: { env_name } })).toMatchObject({ body: [{ index: 1 }] });
  }
});
