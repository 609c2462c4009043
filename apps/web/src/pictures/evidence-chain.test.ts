import { describe, expect, test } from 'vitest';
import { type ChainInput, chainOf, pathThrough } from './evidence-chain.ts';
import { demandsOf } from './evidence-chain-demands.ts';
import {
  artifactOf,
  attestationOf,
  explained,
  fingerprintOf,
  missing,
  slot,
  trailWith,
} from './evidence-chain-given.ts';

const nothing = { explanation: undefined, attestations: new Map(), artifacts: [], demands: [] };
const chain = (input: Partial<ChainInput> & Pick<ChainInput, 'trail'>) => chainOf({ ...nothing, ...input });

describe('a whole chain', () => {
  const trail = trailWith([slot('ticket', 'jira'), slot('pr', 'pull_request')], {
    web: [slot('provenance', 'in_toto'), slot('tests', 'junit')],
  });
  const whole = chain({ trail, artifacts: [artifactOf('web', ['prod'])] });

  test('has a node for each thing, by stage', () => {
    expect(whole.nodes.map(({ stage, title }) => [stage, title])).toEqual([
      ['ticket', 'ticket'],
      ['commit', 'ccccccc'],
      ['review', 'pr'],
      ['build', 'provenance'],
      ['build', 'Build 7'],
      ['checks', 'tests'],
      ['artifact', 'web'],
      ['running', 'prod'],
    ]);
  });

  test('links each stage to the next', () => {
    const title = (id: string) => whole.nodes.find((node) => node.id === id)?.title;
    expect(whole.edges.map(([from, to]) => `${title(from)} → ${title(to)}`)).toEqual([
      'ticket → ccccccc',
      'ccccccc → pr',
      'pr → Build 7',
      'pr → provenance',
      'Build 7 → tests',
      'provenance → tests',
      'tests → web',
      'web → prod',
    ]);
  });

  test('and the path through a node has everything before and after it, and nothing else', () => {
    const id = whole.nodes.find(({ title }) => title === 'provenance')?.id ?? '';
    const titles = [...pathThrough(whole, id)].map((one) => whole.nodes.find((node) => node.id === one)?.title);
    expect(titles).toHaveLength(7);
    expect(titles).not.toContain('Build 7');
  });
});

test('an empty stage is skipped', () => {
  const { edges } = chain({ trail: trailWith([], { web: [] }), artifacts: [artifactOf('web')] });
  expect(edges.map(([, to]) => to)).toEqual(['build:https://ci.example.com/runs/7', 'artifact:web']);
});

describe('what is missing', () => {
  test('is a ghost with the reason for it', () => {
    const trail = trailWith([slot('pr', 'pull_request', missing)], { web: null });
    const explanation = explained('trail', 'trail', {
      children: [explained('trail/attestation:pr', 'attestation'), explained('trail/artifact:web', 'artifact')],
    });
    const ghosts = chain({ trail, explanation }).nodes.filter(({ ghost }) => ghost);
    expect(ghosts.map(({ stage, title, reason }) => [stage, title, reason])).toEqual([
      ['review', 'pr', 'because of trail/attestation:pr'],
      ['artifact', 'web', 'because of trail/artifact:web'],
    ]);
  });

  test('also when a policy requires it where the artifact runs', () => {
    const demands = demandsOf({
      fingerprint: fingerprintOf('web'),
      environment: 'prod',
      compliance: 'non-compliant',
      policy_evaluations: [
        {
          policy_name: 'release',
          policy_version: 3,
          status: 'NON-COMPLIANT',
          rule_evaluations: [
            {
              rule: { type: 'attestation', definition: { name: 'scan', type: 'snyk', must_be_compliant: true } },
              satisfied: false,
              ignored: false,
              resolutions: [{ type: 'missing_attestation', context: { flow_name: 'web' } }],
            },
            {
              rule: { type: 'attestation', definition: { name: '*', type: 'pull_request', min_approvals: 2 } },
              satisfied: false,
              ignored: false,
              resolutions: [{ type: 'non_compliant_attestation', context: { attestation_id: 'id-pr' } }],
            },
            {
              rule: { type: 'provenance', definition: { required: true } },
              satisfied: true,
              ignored: false,
              resolutions: [],
            },
          ],
        },
      ],
    });
    const trail = trailWith([slot('pr', 'pull_request')], { web: [] });
    const asked = trailWith([], { web: [slot('scan', 'snyk', missing)] });
    expect(chain({ trail: asked, demands }).nodes.filter(({ ghost }) => ghost)).toHaveLength(1);
    const { nodes } = chain({ trail, demands, artifacts: [artifactOf('web', ['prod', 'staging'])] });
    expect(nodes.filter(({ ghost }) => ghost)).toMatchObject([
      {
        stage: 'checks',
        title: 'scan',
        reason: 'Policy release (version 3) requires ‘scan’ of type snyk in prod, and none was reported.',
      },
    ]);
    expect(nodes.find(({ title }) => title === 'pr')).toMatchObject({
      state: 'non-compliant',
      reason:
        'Policy release (version 3) requires evidence of type pull_request with 2 approvals or more in prod, and this does not satisfy it.',
    });
    expect(nodes.filter(({ stage }) => stage === 'running').map(({ title, state }) => [title, state])).toEqual([
      ['prod', 'non-compliant'],
      ['staging', null],
    ]);
  });
});

test('what fails comes first, then what is missing, then what was overridden', () => {
  const { nodes } = chain({
    trail: trailWith([
      slot('a', 'junit'),
      slot('b', 'junit', { overridden_attestation_id: 'before' }),
      slot('c', 'junit', missing),
      slot('d', 'junit', { is_compliant: false }),
    ]),
  });
  const checks = nodes.filter(({ stage }) => stage === 'checks');
  expect(checks.map(({ title, state }) => [title, state])).toEqual([
    ['d', 'non-compliant'],
    ['c', 'unknown'],
    ['b', 'waived'],
    ['a', 'compliant'],
  ]);
});

test('evidence that was read has its summary, and what vouches for it', () => {
  const attestations = new Map([
    attestationOf('tests', {
      attestation_type: 'junit',
      attestation_data: { junit_results: [{ name: 's', total: 10, failures: 2, errors: 0, skipped: 0, duration: 1 }] },
    }),
    attestationOf('provenance', {
      attestation_type: 'in_toto',
      outcome: 'signature_verified',
      trust: 'signature',
      attestation_data: {},
    }),
  ]);
  const { nodes } = chain({
    trail: trailWith([slot('tests', 'junit', { is_compliant: false }), slot('provenance', 'in_toto')]),
    attestations,
  });
  expect(nodes.find(({ title }) => title === 'tests')).toMatchObject({
    detail: '2 of 10 tests failed',
    seal: 'unsigned',
    attestationId: 'id-tests',
  });
  expect(nodes.find(({ title }) => title === 'provenance')).toMatchObject({ stage: 'build', seal: 'verified' });
});

describe('of one artifact', () => {
  const trail = trailWith([slot('pr', 'pull_request')], { api: [slot('scan', 'snyk')], web: [slot('tests', 'junit')] });

  test('only what is about it, and about the trail', () => {
    const { nodes } = chain({ trail, artifacts: [artifactOf('web')], fingerprint: fingerprintOf('web') });
    const titles = nodes.map(({ title }) => title);
    expect(titles).toEqual(['ccccccc', 'pr', 'Build 7', 'tests', 'web']);
  });

  test('that was superseded, by its own status', () => {
    const [status] = Object.values(
      trailWith([], { old: [slot('tests', 'junit')] }).compliance_status.artifacts_statuses,
    );
    const superseded = { ...artifactOf('old'), compliance_status: status } as ReturnType<typeof artifactOf>;
    const { nodes } = chain({ trail, artifacts: [superseded], fingerprint: fingerprintOf('old') });
    expect(nodes.map(({ title }) => title)).toContain('old');
  });
});

describe('an environment of several artifacts', () => {
  const trail = trailWith([], { api: [], web: [] });
  const left = { ...artifactOf('api'), exited: [{ environment_name: 'prod', snapshot_index: 9 }] };
  const placesIn = (more: Partial<ChainInput>) =>
    chain({ trail, ...more }).nodes.filter(({ stage }) => stage === 'running');

  test('is active as long as one of them runs there', () => {
    expect(placesIn({ artifacts: [left, artifactOf('web', ['prod'])] })).toMatchObject([
      { title: 'prod', detail: 'Running since snapshot 4', state: null },
    ]);
    expect(placesIn({ artifacts: [left] })).toMatchObject([{ detail: 'Exited in snapshot 9' }]);
  });

  test('fails with any of them', () => {
    const demand = { policy: 'release', name: 'scan', type: 'snyk', attestationId: null, reason: 'none' };
    const demands = [{ ...demand, fingerprint: fingerprintOf('web'), environment: 'prod' }];
    const artifacts = [artifactOf('api', ['prod']), artifactOf('web', ['prod'])];
    expect(placesIn({ artifacts, demands })).toMatchObject([{ title: 'prod', state: 'non-compliant' }]);
  });
});

test('a trail without artifacts has its own commit and run', () => {
  const { nodes } = chain({ trail: trailWith([slot('tests', 'junit')]) });
  expect(nodes.map(({ stage }) => stage)).toEqual(['commit', 'build', 'checks']);
});
