import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as contracts from '@waymark/contract';
import { afterAll, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  type Behaviour,
  halfAnAnswer,
  html,
  json,
  startFaultyServer,
} from '../../../packages/client/test/faulty-server.ts';
import { givenServedLedger } from '../../server/test/given/proofs.ts';
import { startApi } from '../../server/test/harness.ts';
import { version } from '../src/run/version.ts';
import { type Given, givenSignedIn } from './given-cli.ts';

const OUTPUTS = join(import.meta.dirname, 'outputs');
const FIXTURES = join(import.meta.dirname, '../../../packages/ci-context/fixtures');
const NOON = new Date('2026-11-15T12:00:00Z');
const COMMIT = '9f14efa2b7c4d1e0835a6b9c2d4e8f7a1b3c5d60';
const APP = '221dd9a75970db077b86f8a4b7a3ea9645dad8c532e27f8cae0fbd940674fa0f';

const api = await startApi();
api.clock.now = NOON;
const ledger = await givenServedLedger(api);
const cli = await givenSignedIn(api);
const faulty = await startFaultyServer();
afterAll(() => faulty.close());
const gone = await startFaultyServer();
gone.close();
const nobody = gone.baseUrl.replace('/api/v2', '');

function file(path: string, content: string | object): void {
  writeFileSync(join(cli.cwd, path), typeof content === 'string' ? content : JSON.stringify(content));
}
const sarif = (...results: object[]) => ({ version: '2.1.0', runs: [{ tool: { driver: { name: 'S' } }, results }] });

mkdirSync(join(cli.cwd, 'reports'));
mkdirSync(join(cli.cwd, 'server'));
file(
  'template.yml',
  'version: 1\ntrail:\n  attestations:\n    - {name: ticket, type: jira}\n  artifacts:\n    - name: backend\n' +
    '      attestations:\n        - {name: unit-tests, type: junit}\n        - {name: scan, type: generic}\n',
);
file('backend.tgz', 'the program\n');
file('other.tgz', 'never reported\n');
file(
  'red.xml',
  '<testsuite name="shop" tests="2"><testcase name="ships"/><testcase name="pays"><failure message="declined"/></testcase></testsuite>',
);
file('green.xml', '<testsuite name="shop" tests="1"><testcase name="ships"/></testsuite>');
file('scan.sarif', sarif({ ruleId: 'sqli', level: 'error', message: { text: 'a query of strings' } }));
file('bom.json', {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [{ type: 'library', name: 'left-pad', version: '1.3.0', purl: 'pkg:npm/left-pad@1.3.0' }],
});
file('snyk.json', { ok: true, vulnerabilities: [], packageManager: 'npm' });
file('sonar.json', { projectStatus: { status: 'OK', conditions: [] } });
file('coverage.json', { line: 71 });
file('reports/junit.xml', '<testsuite name="web" tests="1"><testcase name="greets"/></testsuite>');
file('reports/scan.sarif', sarif());
file('reports/broken.sarif', '{"version": "2.1.0", "runs": [');
file('reports/notes.json', { nothing: 'known' });
file(
  'policy.yml',
  '_schema: https://waymark.example.com/policy/v1\nartifacts:\n  provenance:\n    required: true\n  attestations:\n    - name: unit-tests\n      type: junit\n',
);
file(
  'stricter.yml',
  '_schema: https://waymark.example.com/policy/v1\nartifacts:\n  provenance:\n    required: true\n  attestations:\n    - name: unit-tests\n      type: junit\n    - name: scan\n      type: generic\n',
);
file(
  'wrong.yml',
  '_schema: https://waymark.example.com/policy/v1\nartifacts:\n  provenence:\n    required: yes\n  attestations:\n    - nme: unit-tests\n',
);
placed('server/backend.tgz', 'the program\n');

const github = JSON.parse(readFileSync(join(FIXTURES, 'github-pull-request.json'), 'utf8')) as {
  env: Record<string, string>;
  files: Record<string, object>;
};
file('event.json', Object.values(github.files)[0] ?? {});
const inGithub = {
  ...github.env,
  GITHUB_EVENT_PATH: join(cli.cwd, 'event.json'),
  GITHUB_ENV: join(cli.cwd, 'github-env'),
  GITHUB_STEP_SUMMARY: join(cli.cwd, 'summary'),
};
const nightly = { WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: 'nightly' };
const inTrail = { WAYMARK_FLOW: 'shop', WAYMARK_TRAIL: 'release-1' };
const urls = '--build-url https://ci.example.com/1 --commit-url https://git.example.com/1';

interface Step extends Given {
  /** What happens first: minutes pass, or anything else. */
  readonly after?: number;
  readonly before?: () => unknown;
  readonly at?: Behaviour;
}

const problem = (status: number, message: string, headers: Record<string, string> = {}) =>
  json(status, { message, errors: null }, headers);

/** In this order: each depends on the state left by those before. */
const steps: [name: string, line: string, step?: Step][] = [
  ['not-signed-in', 'flow list', { env: { WAYMARK_TOKEN: undefined } }],
  ['no-host', 'flow list', { env: { WAYMARK_HOST: undefined } }],
  ['auth-status', 'auth status'],
  ['whoami', 'whoami'],
  ['doctor', 'doctor', { now: () => new Date() }],
  ['flow-list-empty', 'flow list'],
  ['flow-create', "flow create shop --template template.yml --description 'The web shop'"],
  ['flow-create-again', "flow create shop --template template.yml --description 'The web shop'"],
  ['flow-list', 'flow list'],
  ['flow-list-wide-colours', 'flow list -o wide --color always'],
  ['flow-get', 'flow get shop'],
  ['unknown-flow', 'flow get shopp'],
  ['begin-trail', "begin trail release-1 --flow shop --description 'The first release'"],
  ['begin-trail-in-pull-request', 'begin trail --flow shop', { env: inGithub }],
  ['ci-context-explained', 'ci context --explain', { env: inGithub }],
  ['why-trail-incomplete', 'why shop/release-1'],
  ['assert-trail-incomplete', 'assert trail shop/release-1'],
  ['attest-artifact', `attest artifact backend.tgz --name backend --commit ${COMMIT} ${urls}`, { env: inTrail }],
  ['attest-junit-red', 'attest junit red.xml --name unit-tests --artifact ./backend.tgz', { env: inTrail }],
  ['assert-artifact-red', 'assert artifact backend.tgz', { env: inTrail }],
  ['why-artifact-red', 'why backend.tgz', { env: inTrail }],
  ['why-artifact-red-colours', 'why backend.tgz --color always', { env: inTrail }],
  ['attest-generic', `attest generic --name backend.scan --commit ${COMMIT} --compliant`, { env: inTrail }],
  ['attest-generic-no', "attest generic --name load-test --non-compliant --reason 'p99 is 2 s'", { env: nightly }],
  ['attest-jira', 'attest jira SHOP-12 --assume-exists --name ticket', { env: inTrail }],
  ['attest-sarif', 'attest sarif scan.sarif --name sast', { env: nightly }],
  ['attest-sbom', 'attest sbom bom.json --name sbom', { env: nightly }],
  ['attest-snyk', 'attest snyk snyk.json --name dependencies', { env: nightly }],
  ['attest-sonar', 'attest sonar sonar.json --name quality-gate', { env: nightly }],
  ['attestation-type-create', "attestation-type create coverage --rule '.line >= 75'"],
  ['attest-custom', 'attest custom coverage --data coverage.json --name coverage', { env: nightly }],
  ['control-create', "control create SDLC-7 --name 'Independent review'"],
  ['attest-decision', "attest decision SDLC-7 --compliant --reason 'Reviewed by two' --name review", { env: nightly }],
  ['attest-pr-outside-of-ci', 'attest pr --name review', { env: inTrail }],
  ['attest-in-toto-unreadable', 'attest in-toto coverage.json --name provenance', { env: inTrail }],
  [
    'attest-override',
    "attest override --name sast --type snyk --compliant --reason 'False positive'",
    { env: nightly },
  ],
  ['attest-auto-mixed', "attest auto 'reports/**'", { env: nightly }],
  ['attest-dry-run', 'attest junit green.xml --name unit-tests --artifact ./backend.tgz --dry-run', { env: inTrail }],
  [
    'attest-junit-green',
    'attest junit green.xml --name unit-tests --artifact ./backend.tgz',
    { env: inTrail, after: 5 },
  ],
  ['attest-without-verdict', 'attest generic --name check', { env: inTrail }],
  ['attest-missing-file', 'attest junit none.xml --name unit-tests', { env: inTrail }],
  ['assert-artifact-green', 'assert artifact backend.tgz --flow shop'],
  ['assert-artifact-unknown', 'assert artifact other.tgz --flow shop'],
  ['trail-get', 'trail get shop/release-1'],
  ['trail-list', 'trail list --flow shop'],
  ['artifact-list', 'artifact list --flow shop'],
  ['artifact-get', 'artifact get 221dd9a'],
  ['attestation-list', 'attestation list --flow shop'],
  ['env-list-empty', 'env list'],
  ['env-create', "env create prod --type server --description 'Where customers shop'"],
  ['env-get-silent', 'env get prod'],
  ['assert-snapshot-never-reported', 'assert snapshot prod'],
  ['policy-lint', 'policy lint -f wrong.yml'],
  ['policy-apply', 'policy apply production -f policy.yml'],
  ['policy-diff', 'policy diff production -f stricter.yml'],
  ['env-policies-attach', 'env policies attach prod production'],
  ['policy-get', 'policy get production'],
  ['policy-list', 'policy list'],
  ['conflict', 'policy archive production --yes'],
  ['confirm', 'policy archive production'],
  ['snapshot-server', "snapshot server prod 'server/*'", { after: 5 }],
  ['snapshot-server-same', "snapshot server prod 'server/*'", { after: 5 }],
  ['assert-snapshot-green', 'assert snapshot prod'],
  [
    'snapshot-server-strange',
    "snapshot server prod 'server/*'",
    { after: 60, before: () => placed('server/tool.bin', 'made elsewhere\n') },
  ],
  ['assert-snapshot-red', 'assert snapshot prod'],
  ['why-env-red', 'why prod'],
  ['env-list', 'env list'],
  ['env-get', 'env get prod'],
  ['env-snapshots', 'env snapshots prod'],
  ['env-snapshot', "env snapshot 'prod#1'"],
  ['where-commit', `where ${COMMIT.slice(0, 7)}`],
  ['trace', 'trace backend.tgz'],
  ['diff', 'diff prod~1 prod'],
  ['log', 'log prod'],
  ['search', `search ${APP.slice(0, 7)}`],
  ['deployment-list', 'deployment list --env prod'],
  ['audit-package', 'audit package shop/release-1 --to release-1.tgz', { before: seal }],
  ['verify', 'verify release-1.tgz --policy trust.txt'],
  ['verify-tampered', 'verify package --offline', { before: tamper }],
  ['wrong-role', 'flow create mine', { env: { WAYMARK_TOKEN: api.org.keys.reader } }],
  ['did-you-mean-command', 'flow lst'],
  ['did-you-mean-flag', 'flow list --serach x'],
  ['empty-value', "flow list --search ''"],
  ['bad-jq', "flow list --jq '.[] | nme('"],
  ['unknown-field', 'flow list --json name,colour'],
  ['too-large', 'flow get shop', { at: problem(413, 'The body is larger than 1 MiB') }],
  ['rate-limited', 'flow get shop', { at: problem(429, 'Too many requests', { 'retry-after': '3' }) }],
  ['server-error', 'flow get shop', { at: problem(500, 'Something went wrong here') }],
  ['garbage', 'flow get shop', { at: html(200) }],
  ['half-an-answer', 'flow get shop', { at: halfAnAnswer }],
  ['server-down', 'flow get shop', { env: { WAYMARK_HOST: nobody } }],
  ['assert-server-down', 'assert artifact backend.tgz', { env: { WAYMARK_HOST: nobody } }],
  ['spooled', 'attest generic --name late --compliant', { env: inTrail, at: problem(503, 'Not now') }],
  ['spooled-strict', 'attest generic --name late --compliant --strict', { env: inTrail, at: problem(503, 'Not now') }],
  ['spool-status', 'spool status'],
  ['spool-push-down', 'spool push', { at: problem(503, 'Not now') }],
  ['doctor-down', 'doctor', { env: { WAYMARK_HOST: nobody } }],
  ['doctor-bad-key', 'doctor', { now: () => new Date(), env: { WAYMARK_TOKEN: 'wmk_enot_a_key' } }],
];

async function seal(): Promise<void> {
  await ledger.seal();
  file('trust.txt', ledger.policy());
}

function tamper(): void {
  mkdirSync(join(cli.cwd, 'package'));
  execFileSync('tar', ['-xzf', 'release-1.tgz', '-C', 'package'], { cwd: cli.cwd });
  appendFileSync(join(cli.cwd, 'package/README.md'), 'more');
}

function placed(path: string, content: string): void {
  file(path, content);
  utimesSync(join(cli.cwd, path), NOON, NOON);
}

/** Splits a line as a shell would. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

/** Values that differ between runs. Where their length does as well, columns are not aligned. */
function masked(text: string): string {
  const changing = /127\.0\.0\.1:\d+/g;
  const isOfAnyWidth = text.includes(cli.cwd) || changing.test(text);
  return (
    (isOfAnyWidth ? text.replaceAll(/(?<=\S) {3,}(?=\S)/g, '  ') : text)
      .replaceAll(cli.cwd, '/home/ana')
      .replaceAll(version, '1.2.3')
      .replaceAll(
        /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
        '01234567-89ab-7def-8123-456789abcdef',
      )
      .replaceAll(/(?<=^waiting {2})[0-9a-f]{8}/gm, '01234567')
      .replaceAll(changing, '127.0.0.1:8080')
      // A busy machine takes some seconds between the two clocks.
      .replaceAll(/(?<=PASSED {2}clock {2}).*/g, 'in sync with the service')
      .replaceAll(/\b\d+\.\d s\b/g, '0.1 s')
      // Heads come in the order of random ids.
      .replaceAll(/(?<=at index )\d(?= of the region log)/g, '1')
      .replaceAll(/\(\d+ bytes, SHA-256 [0-9a-f]{64}\)/g, '(8000 bytes, SHA-256 …)')
      .replaceAll(/SHA-256 [0-9a-f]{64}/g, 'SHA-256 …')
      .replaceAll(/SHA-256 is [0-9a-f]{64}, but [0-9a-f]{64}/g, 'SHA-256 is …, but …')
  );
}

const named = steps.map(([name, line, step = {}], at) => ({
  name: `${String(at + 1).padStart(3, '0')}-${name}`,
  line,
  step,
}));

it.each(named)('$name', async ({ name, line, step }) => {
  const { after = 0, before, at, env, ...given } = step;
  api.clock.now = new Date(api.clock.now.getTime() + after * 60_000);
  await before?.();
  if (at) faulty.behave(at);
  const ran = await cli.run([...wordsOf(line), ...(/--utc/.test(line) ? [] : ['--utc'])], {
    now: () => api.clock.now,
    ...given,
    env: { ...(at && { WAYMARK_HOST: faulty.baseUrl }), ...env },
  });
  const shown = [
    `$ waymark ${line}`,
    ran.stdout.trimEnd(),
    ...(ran.stderr === '' ? [] : ['--- standard error', ran.stderr.trimEnd()]),
    `--- exit code ${ran.code}`,
  ];
  await expect(`${masked(shown.filter((part) => part !== '').join('\n'))}\n`).toMatchFileSnapshot(
    join(OUTPUTS, `${name}.txt`),
  );
});

it('no recorded output is left that nothing prints', () => {
  const files = readdirSync(OUTPUTS).filter((name) => name.endsWith('.txt'));
  expect(files.toSorted()).toEqual(named.map(({ name }) => `${name}.txt`).toSorted());
  expect(steps.length).toBeGreaterThan(60);
});

const shapes: [line: string, contract: { readonly reply: z.ZodType }][] = [
  ['flow list', contracts.listFlows],
  ['flow get shop', contracts.getFlow],
  ['trail list --flow shop', contracts.listTrails],
  ['trail get shop/release-1', contracts.getTrail],
  ['artifact list --flow shop', contracts.listArtifacts],
  ['artifact get 221dd9a', contracts.getArtifact],
  ['attestation list --flow shop', contracts.listAttestations],
  ['env list', contracts.listEnvironments],
  ['env get prod', contracts.getEnvironment],
  ['env snapshots prod', contracts.listSnapshots],
  ['env snapshot prod', contracts.getSnapshot],
  ['env events prod', contracts.listEnvironmentEvents],
  ['log prod', contracts.listEnvironmentEvents],
  ['diff prod~1 prod', contracts.diffSnapshots],
  ['policy list', contracts.listPolicies],
  ['policy get production', contracts.getPolicy],
  ['control list', contracts.listControls],
  ['control get SDLC-7', contracts.getControl],
  ['deployment list --env prod', contracts.listEnvironmentDeployments],
  ['waiver list --env prod', contracts.listWaivers],
  ['repo list', contracts.listRepos],
  ['member list', contracts.listMembers],
  ['sa list', contracts.listServiceAccounts],
  ['assert artifact backend.tgz --flow shop', contracts.assertArtifact],
  ['why shop/release-1', contracts.explainTrail],
];

it.each(shapes)('waymark %s --json has the shape of the API', async (line, { reply }) => {
  const { stdout, stderr } = await cli.run([...wordsOf(line), '--json'], { now: () => api.clock.now });
  expect(stdout, stderr).not.toBe('');
  const data: unknown = JSON.parse(stdout);
  const fitting = [reply, ...listsIn(reply)].some((schema) => schema.safeParse(data).success);
  expect(fitting, JSON.stringify(reply.safeParse(data).error?.issues[0])).toBe(true);
});

/** A list is printed without its page envelope. */
function listsIn(schema: z.ZodType): z.ZodType[] {
  if ('element' in schema) return [schema];
  return 'shape' in schema ? Object.values(schema.shape as Record<string, z.ZodType>).flatMap(listsIn) : [];
}

it('output for programs has no colors and ends with a line break', async () => {
  for (const format of ['json', 'yaml', 'ndjson', 'csv', 'markdown', 'name']) {
    const { stdout, code } = await cli.run(['flow', 'list', '-o', format, '--color', 'always']);
    expect({ format, code, stdout }).toEqual({ format, code: 0, stdout: expect.stringMatching(/\n$/) });
    expect(stdout).not.toContain('\u001b');
  }
});
