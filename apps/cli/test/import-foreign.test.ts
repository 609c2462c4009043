import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Artifact, getArtifact, getSnapshot, type Snapshot } from '@waymark/contract';
import { afterAll, expect, it } from 'vitest';
import { commit, fingerprint, trailOf } from '../../server/test/given/evidence.ts';
import { startApi } from '../../server/test/harness.ts';
import { givenSignedIn } from './given-cli.ts';

/** A service that speaks the API as its public client expects it, with the differences that are known of it. */
const LOG = 'all is well\n';
const COMMIT_INFO = {
  sha1: commit('a'),
  message: 'Add',
  author: 'Ada',
  branch: 'main',
  timestamp: 1_747_062_671.0,
  url: null,
};
const attestation = (id: string, type: string, more: object = {}) => ({
  schema_version: 2,
  attestation_id: id,
  attestation_name: type.replace(/\W/g, '-'),
  attestation_type: type,
  is_compliant: true,
  artifact_fingerprint: null,
  target_artifacts: null,
  git_commit_info: COMMIT_INFO,
  user_data: {},
  created_at: 1_747_062_776.797778,
  reported_by: 'ci-pipelines',
  html_url: `https://app.example.com/acme/flows/shop/trails/1?attestation_id=${id}`,
  ...more,
});
const stored = (name: string, content: string) => ({
  evidence_archive_path: `83acb2bc/${name}`,
  evidence_archive_fingerprint: createHash('sha256').update(content).digest('hex'),
});
const attestations = [
  attestation('f7cd9b3a-2738-47e6-be36-689d0001', 'snyk', {
    artifact_fingerprint: fingerprint('a'),
    target_artifacts: ['differ'],
    processed_snyk_results: { schema_version: 1, results: [{ high_count: 0, medium_count: 0, low_count: 0 }] },
    ...stored('evidence.tgz', LOG),
  }),
  attestation('f7cd9b3a-2738-47e6-be36-689d0002', 'pull_request', {
    pull_requests: [{ url: 'https://git.example.com/1', state: 'MERGED', merge_commit: commit('a'), approvers: null }],
    ...stored('gone.tgz', LOG),
  }),
  attestation('f7cd9b3a-2738-47e6-be36-689d0003', 'generic', stored('other.log', 'something else')),
  attestation('f7cd9b3a-2738-47e6-be36-689d0004', 'horoscope'),
];
const idOf = (at: number) => attestations[at]?.attestation_id ?? '';
const event = (type: string, timestamp: number, more: object = {}) => ({ type, timestamp, ...more });
const artifact = {
  id: '05c2fd70-0832-4868-9e56-e268b720',
  fingerprint: fingerprint('a'),
  filename: 'differ:1',
  git_commit: commit('a'),
  git_commit_info: COMMIT_INFO,
  build_url: 'https://ci.example.com/1',
  commit_url: 'https://git.example.com/a',
  created_at: '2025-05-12T15:12:56.797778Z',
  template_reference_name: 'differ',
};
const running = {
  name: 'differ:1',
  fingerprint: fingerprint('a'),
  creationTimestamp: [1_747_000_000, 1_747_000_001],
  annotation: { type: 'unchanged', was: 2, now: 2 },
  pods: null,
  ecs_context: { task_arn: 'arn:aws:ecs:eu-west-1:1:task/shop/1', cluster_name: 'shop', service_name: null },
};
const answers: Readonly<Record<string, unknown>> = {
  '/custom-attestation-types/acme': [],
  '/flows/acme?page=1&per_page=100': {
    data: [{ name: 'shop', description: null, visibility: 'private', template: 'version: 1\n', tags: null }],
    pagination: { total: 1, page: 1, per_page: 100, page_count: 1 },
  },
  '/trails/acme?page=1&per_page=100&flow=shop': {
    data: [{ name: '1', created_at: 1_747_062_700.1 }],
    pagination: { total: 1, page: 1, per_page: 100, page_count: 1 },
  },
  '/trails/acme/shop/1': {
    name: '1',
    description: '',
    git_commit_info: COMMIT_INFO,
    user_data: null,
    template: { version: 1, content: 'version: 1\n' },
    created_at: 1_747_062_700.1,
    created_by: 'ada',
    html_url: 'https://app.example.com/acme/flows/shop/trails/1',
    events: [
      event('trail_reported', 1),
      event('artifact_creation_reported', 2, { artifact_fingerprint: fingerprint('a') }),
      ...attestations.map(({ attestation_id }, at) => event('trail_attestation_reported', 3 + at, { attestation_id })),
      event('artifact_approval_reported', 9, { artifact_fingerprint: fingerprint('a'), state: 'APPROVED' }),
    ],
  },
  [`/artifacts/acme/shop/fingerprint/${fingerprint('a')}?trail=1`]: { ...artifact, trail_name: '1' },
  '/artifacts/acme?page=1&per_page=100&flow_name=shop': [
    { fingerprint: fingerprint('a'), trail_name: '1' },
    { fingerprint: fingerprint('b'), trail_name: null },
  ],
  [`/artifacts/acme/shop/fingerprint/${fingerprint('b')}`]: {
    ...artifact,
    id: '05c2fd70-0832-4868-9e56-e268b721',
    fingerprint: fingerprint('b'),
    template_reference_name: null,
    trail_name: null,
  },
  '/environments/acme': [
    { name: 'aws', type: 'ECS', description: null, tags: {}, policies: ['strict'], last_reported_at: 1_747_062_900.5 },
    { name: 'unused', type: 'K8S', description: 'Later', tags: {}, policies: null, last_reported_at: null },
  ],
  '/snapshots/acme/aws/-1': { index: 40, artifacts: [running, { ...running, name: 'old', annotation: { now: 0 } }] },
  ...Object.fromEntries(
    attestations.map((one) => [`/attestations/acme?attestation_id=${one.attestation_id}`, { data: [one] }]),
  ),
};
const files: Readonly<Record<string, string>> = {
  [`/attestations/acme/shop/trail/1/attestation/${idOf(0)}/evidence`]: LOG,
  [`/attestations/acme/shop/trail/1/attestation/${idOf(2)}/evidence`]: LOG,
};

const server = createServer((request, response) => {
  const path = (request.url ?? '').replace('/api/v2', '');
  const file = files[path];
  const answer = answers[path];
  response.statusCode = file === undefined && answer === undefined ? 404 : 200;
  response.end(file ?? JSON.stringify(answer ?? { message: `Nothing at ${path}` }));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());

const api = await startApi();
const cli = await givenSignedIn(api);
const line = [
  'import',
  '--from-host',
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  '--from-org',
  'acme',
];
const run = () => cli.run([...line, '-o', 'json'], { env: { WAYMARK_FROM_TOKEN: 'some-key-of-another-service' } });

it('carries what is like here, and says why of everything that is not', async () => {
  const { code, stdout, stderr } = await run();

  const { kinds, not_carried, failed } = JSON.parse(stdout);
  expect(code).toBe(3);
  expect(kinds).toMatchObject([
    { kind: 'attestation type', found: 0 },
    { kind: 'flow', found: 1, carried: 1 },
    { kind: 'trail', found: 1, carried: 1 },
    { kind: 'artifact', found: 2, carried: 2 },
    { kind: 'attestation', found: 4, carried: 2, not_carried: 1, failed: 1 },
    { kind: 'attachment', found: 2, carried: 1, not_carried: 1 },
    { kind: 'approval', found: 1, not_carried: 1 },
    { kind: 'environment', found: 2, carried: 2 },
    { kind: 'snapshot', found: 40, carried: 1, not_carried: 39 },
  ]);
  expect(not_carried).toMatchObject([
    { kind: 'attachment', reason: expect.stringContaining('does not have the file any more') },
    { kind: 'attestation', reason: "The target has no type 'horoscope'", examples: ['shop/1 horoscope'] },
    { kind: 'approval' },
    { kind: 'snapshot', count: 39 },
  ]);
  expect(failed).toMatchObject([
    { kind: 'attestation', reason: expect.stringContaining('The download does not match its record') },
  ]);
  expect(stderr).toContain('Environment aws: its policies are not imported; attach strict in the target');
});

it('keeps ids, times and authors of the other service', async () => {
  const { body } = await api.call(getArtifact, {
    params: { flow_name: 'shop', fingerprint: fingerprint('b') },
    query: { trail: commit('a') },
  });
  expect((body as Artifact).annotations).toMatchObject({
    imported_id: '05c2fd70-0832-4868-9e56-e268b721',
    original_time: '2025-05-12T15:12:56.797Z',
  });
  const trail = await trailOf(api, 'shop', '1');
  expect(trail.external_urls).toMatchObject({ imported_from: { original_author: 'ada' } });
  const snapshot = await api.call(getSnapshot, { params: { env_name: 'aws', snapshot_expression: '-1' } });
  expect((snapshot.body as Snapshot).artifacts).toMatchObject([
    {
      name: 'differ:1',
      creationTimestamp: [1_747_000_000],
      container_task_context: { cluster_name: 'shop' },
    },
  ]);
});

it('changes nothing when it is run again', async () => {
  const before = await api.journal();
  const { stdout } = await run();
  const { kinds } = JSON.parse(stdout);
  expect(kinds.map(({ carried }: { carried: number }) => carried)).toEqual(Array(9).fill(0));
  expect(kinds).toContainEqual(expect.objectContaining({ kind: 'attachment', already_there: 1, not_carried: 1 }));
  expect(await api.journal()).toEqual(before);
});
