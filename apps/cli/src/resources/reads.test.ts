import * as contract from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApi } from '../../../server/test/harness.ts';
import { givenSignedIn } from '../../test/given-cli.ts';
import { A, givenWorld } from '../../test/given-world.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const world = { attestationId: '', attachedId: '' };

beforeAll(async () => {
  Object.assign(world, await givenWorld(api));
});

interface Read {
  /** `ID` is the id of an attestation. */
  readonly line: string;
  readonly shows: readonly string[];
  readonly data: { parse(value: unknown): unknown };
  /** The same command for a missing resource. */
  readonly unknown?: string;
}

const reads: readonly Read[] = [
  { line: 'flow list', shows: ['NAME', 'shop'], data: contract.listFlows.reply },
  { line: 'flow get shop', shows: ['shop\n', 'visibility'], data: contract.Flow, unknown: 'flow get nope' },
  {
    line: 'flow template shop',
    shows: ['version: 1', '- name: unit-tests'],
    data: { parse: (value) => contract.Flow.pick({ name: true, template: true }).parse(value) },
    unknown: 'flow template nope',
  },
  {
    line: 'trail list',
    shows: ['✕ NON-COMPLIANT', 'release-1', 'The first'],
    data: contract.listTrails.reply.shape.data,
    unknown: 'trail list --flow nope',
  },
  {
    line: 'trail get shop/release-1',
    shows: [
      '✕ NON-COMPLIANT  shop/release-1',
      '✕ missing  ticket (jira)',
      '✓ compliant  log (generic) (not in the template)',
    ],
    data: contract.Trail,
    unknown: 'trail get shop/nope',
  },
  {
    line: 'trail log release-1 --flow shop',
    shows: ['trail attestation reported', 'smoke: non-compliant', 'app-a.tgz backend'],
    data: contract.listTrailEvents.reply.shape.data,
    unknown: 'trail log nope --flow shop',
  },
  {
    line: 'artifact list --flow shop',
    shows: ['✕ NON-COMPLIANT', 'app-a.tgz', 'aaaaaaaaaaaa '],
    data: contract.listArtifacts.reply,
    unknown: 'artifact list --flow nope',
  },
  {
    line: 'artifact get aaaaaaa',
    shows: ['✕ NON-COMPLIANT  app-a.tgz', 'runs in', 'prod', A],
    data: contract.Artifact,
    unknown: 'artifact get 1234567',
  },
  {
    line: 'attestation list --flow shop',
    shows: ['✕ NON-COMPLIANT  smoke', '✓ compliant      log'],
    data: contract.listAttestations.reply.shape.data,
    unknown: 'attestation list --flow nope',
  },
  {
    line: 'attestation get ID',
    shows: ['✕ NON-COMPLIANT  smoke (generic)', 'reason', 'shop/release-1'],
    data: contract.Attestation,
    unknown: 'attestation get 01a1e0ce-8657-7731-bb0d-93e1d875a1ef',
  },
  { line: 'attestation-type list', shows: ['coverage', '1'], data: contract.listAttestationTypes.reply },
  {
    line: 'attestation-type get coverage',
    shows: ['coverage version 1', '.line >= 75'],
    data: contract.AttestationType,
    unknown: 'attestation-type get nope',
  },
  { line: 'env list', shows: ['✕ NON-COMPLIANT  prod', 'prod-release'], data: contract.listEnvironments.reply },
  {
    line: 'env get prod',
    shows: ['✕ NON-COMPLIANT  prod (server)', 'policies     prod-release'],
    data: contract.Environment,
    unknown: 'env get nope',
  },
  {
    line: 'env snapshots prod',
    shows: ['✕ NON-COMPLIANT  prod#1', 'report'],
    data: contract.listSnapshots.reply,
    unknown: 'env snapshots nope',
  },
  {
    line: 'env snapshot prod#1',
    shows: ['✓ compliant      app', '✕ NON-COMPLIANT  stray', 'policies: prod-release v1'],
    data: contract.Snapshot,
    unknown: 'env snapshot prod#9',
  },
  {
    line: 'env events eu --since 1d',
    shows: ['started', 'stray', 'prod#1'],
    data: contract.listEnvironmentEvents.reply,
    unknown: 'env events nope',
  },
  { line: 'policy list', shows: ['prod-release', 'prod'], data: contract.listPolicies.reply },
  {
    line: 'policy get prod-release',
    shows: ['prod-release version 1', 'environments  prod'],
    data: contract.Policy,
    unknown: 'policy get nope',
  },
  {
    line: 'policy test prod-release --against prod',
    shows: ['verdicts would have changed', 'prod: 1 of 1 snapshots would fail, 1 did'],
    data: contract.Simulation,
    unknown: 'policy test nope --against prod',
  },
  { line: 'control list', shows: ['SDLC-7', 'Independent review'], data: contract.listControls.reply.shape.controls },
  {
    line: 'control get SDLC-7',
    shows: ['SDLC-7 Independent review', 'none requires it'],
    data: contract.getControl.reply,
    unknown: 'control get nope',
  },
  {
    line: 'control decisions SDLC-7',
    shows: ['✓ compliant', 'shop/release-1'],
    data: contract.listControlDecisions.reply.shape.decisions,
    unknown: 'control decisions nope',
  },
  {
    line: 'control coverage SDLC-7',
    shows: ['✕ no', 'prod', '0 of 1 environments require SDLC-7 (0%)'],
    data: contract.getControlCoverage.reply,
    unknown: 'control coverage nope',
  },
  {
    line: 'deployment list --env prod',
    shows: ['prod#1', 'no provenance', 'shop'],
    data: contract.listEnvironmentDeployments.reply.shape.data,
    unknown: 'deployment list --env nope',
  },
  {
    line: 'waiver list --env prod',
    shows: ['tool', 'an emergency'],
    data: contract.listWaivers.reply,
    unknown: 'waiver list --env nope',
  },
  { line: 'repo list', shows: ['acme/shop', 'github'], data: contract.listRepos.reply.shape.repos },
  {
    line: 'repo get acme/shop',
    shows: ['acme/shop\n', 'provider id  42'],
    data: contract.getRepo.reply,
    unknown: 'repo get nope',
  },
];

const words = (line: string) => line.replace('ID', world.attestationId).split(' ');

describe.each(reads)('waymark $line', ({ line, shows, data, unknown }) => {
  it('prints the main facts for people', async () => {
    const { code, stdout, stderr } = await cli.run(words(line));

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const text of shows) expect(stdout).toContain(text);
  });

  it('prints the response of the API for programs', async () => {
    const { code, stdout } = await cli.run([...words(line), '-o', 'json']);

    expect(code).toBe(0);
    const value = JSON.parse(stdout) as unknown;
    data.parse(value);
    if (Array.isArray(value)) expect(value).not.toEqual([]);
  });

  it('is refused without permission', async () => {
    const stranger = await givenSignedIn(api, (await others()).keys.admin);

    expect((await stranger.run(words(line))).code).toBe(4);
  });

  it('refuses an empty value', async () => {
    const [noun = '', verb = '', first, ...rest] = words(line);
    const empty = first === undefined || first.startsWith('-') ? [noun, verb, '--jq', ''] : [noun, verb, '', ...rest];

    const { code, stderr, stdout } = await cli.run(empty);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('is empty');
  });

  if (unknown === undefined) return;

  it('reports a missing resource', async () => {
    const { code, stdout, stderr } = await cli.run(words(unknown));

    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(/^✕ /);
  });
});

let other: ReturnType<typeof api.givenOrg> | undefined;
function others() {
  other ??= api.givenOrg('others');
  return other;
}

it.each([
  ['flow list --limit x', '--limit must be a whole number'],
  ['flow list --sort up', 'sort must be one of name, latest_activity'],
  ['trail get a/b/c', 'Use TRAIL or FLOW/TRAIL'],
  ['trail get', 'No flow is set'],
  ['artifact get xyz', "'xyz' is not a fingerprint"],
  ['attestation list --compliant maybe', '--compliant must be yes or no'],
  ['attestation list --since yesterday', "must be a duration or a time, not 'yesterday'"],
  ['attestation list --since 900d', '--since must be at most a year, or a time'],
  ['env list --type K8s', 'type must be one of K8S'],
  ['env snapshot eu', 'use those of its members: prod'],
  ['env snapshot prod@x', "'prod@x' is not a snapshot"],
  ['deployment list --env prod --flow shop', 'cannot be combined'],
  ['policy test --against prod', 'The policy is missing'],
])('refuses %s and explains why', async (line, why) => {
  const { code, stderr } = await cli.run(line.split(' '));

  expect(code).toBe(2);
  expect(stderr).toContain(why);
});

it('shows as many as requested, and notes when there are more', async () => {
  const some = await cli.run(['attestation', 'list', '--limit', '2', '-o', 'name']);
  expect(some.stdout.trim().split('\n')).toHaveLength(2);
  expect(some.stderr).toContain('Only the first 2 are shown');

  const all = await cli.run(['attestation', 'list', '--limit', '0', '-o', 'name']);
  expect(all.stdout.trim().split('\n')).toHaveLength(3);
  expect(all.stderr).toBe('');

  const exactly = await cli.run(['attestation', 'list', '--limit', '3', '-o', 'name']);
  expect(exactly.stdout).toBe(all.stdout);
  expect(exactly.stderr).toBe('');
});

it('passes the filters on', async () => {
  const names = async (...line: string[]) =>
    (await cli.run([...line, '--jq', '[.[].attestation_name] | join(" ")'])).stdout;

  expect(await names('attestation', 'list', '--compliant', 'no')).toBe('smoke\n');
  expect(await names('attestation', 'list', '--name', 'log')).toBe('log\n');
  expect(await names('attestation', 'list', '--type', 'decision')).toBe('review\n');
  expect(await names('attestation', 'list', '--until', '2020-01-01')).toBe('');
  expect((await cli.run(['flow', 'list', '--search', 'SHO', '-o', 'name'])).stdout).toBe('shop\n');
  expect((await cli.run(['env', 'list', '--type', 'logical', '--type', 'K8S', '-o', 'name'])).stdout).toBe('eu\n');
  expect((await cli.run(['control', 'coverage', 'SDLC-7', '--covered', 'yes'])).stdout).toContain('0 of 1');
});

it('suggests what to do where there is nothing', async () => {
  const { code, stdout, stderr } = await cli.run(['flow', 'list', '--search', 'zzz']);

  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toBe("No flows match these filters. 'waymark flow list' lists all.\n");
});

it('accepts a snapshot in every form', async () => {
  for (const text of ['prod', 'prod#1', 'prod~0', 'prod@-1', 'prod@1', 'prod@{now}']) {
    expect(await cli.run(['env', 'snapshot', text, '--jq', '.index'])).toMatchObject({ code: 0, stdout: '1\n' });
  }
});

it('shows times in UTC on request', async () => {
  const { stdout } = await cli.run(['env', 'snapshots', 'prod', '--utc', '--jq', '.[0].from']);
  const [shown] = new Date(Number(stdout) * 1000).toISOString().replace('T', ' ').match(/.{16}/) ?? [];

  expect((await cli.run(['env', 'snapshots', 'prod', '--utc'])).stdout).toContain(shown);
});
