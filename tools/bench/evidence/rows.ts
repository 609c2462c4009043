import { hash, randomUUIDv7 } from 'node:crypto';
import type { Row, Table } from './copy.ts';

export interface Size {
  readonly trails: number;
  readonly flows: number;
}

const ARTIFACTS = ['backend', 'frontend', 'worker'];
/** Types of attestation by name. The first four are about the trail, the others about one artifact after another. */
const TYPES = {
  'pull-request': 'pull_request',
  ticket: 'jira',
  'risk-review': 'generic',
  'release-decision': 'decision',
  'unit-tests': 'junit',
  dependencies: 'snyk',
  'quality-gate': 'sonar',
  components: 'sbom',
  coverage: 'custom:coverage',
  licences: 'generic',
};
export const NAMES = Object.keys(TYPES);
const ABOUT_TRAIL = 4;
const ATTESTATIONS = 50;
/** The number of concurrent trails, whose reports alternate. */
const BATCH_SIZE = 20;
const RECEIPTS_PER_BATCH = BATCH_SIZE * (1 + ARTIFACTS.length + ATTESTATIONS);
const BEGUN = Date.UTC(2026, 0, 1);

const slot = (name: string) => `{ name: ${name}, type: "${TYPES[name as keyof typeof TYPES]}" }`;
const slots = (names: readonly string[]) => names.map(slot).join(', ');
export const TEMPLATE = `version: 1
trail:
  attestations: [${slots(NAMES.slice(0, ABOUT_TRAIL))}]
  artifacts:
${ARTIFACTS.map((name) => `    - { name: ${name}, attestations: [${slots(NAMES.slice(ABOUT_TRAIL))}] }\n`).join('')}`;

export function flowName(trail: number, size: Size): string {
  return `flow-${trail % size.flows}`;
}

export function trailName(trail: number): string {
  return `build-${trail}`;
}

/** Two or three trails share one. */
export function commitOf(trail: number): string {
  return hash('sha1', `commit ${Math.floor((trail * 2) / 5)}`);
}

export function fingerprintOf(trail: number, artifact: number): string {
  return hash('sha256', `artifact ${trail} ${artifact % ARTIFACTS.length}`);
}

export function lastReceipt(size: Size): number {
  return (size.trails / BATCH_SIZE) * RECEIPTS_PER_BATCH;
}

interface Trail {
  readonly number: number;
  readonly id: string;
  readonly flowId: string;
  /** The first receipt of its group, after those of the group's trails. */
  readonly base: number;
  readonly place: number;
}

/** Everything that was reported, in order of receipt. */
export function evidenceTables(org: string, templateId: string, flowIds: readonly string[], size: Size): Table[] {
  const trails = Array.from({ length: size.trails }, (_, number) => ({
    number,
    id: randomUUIDv7(),
    flowId: flowIds[number % size.flows] ?? '',
    base: Math.floor(number / BATCH_SIZE) * RECEIPTS_PER_BATCH,
    place: 1 + (number % BATCH_SIZE),
  }));
  return [
    {
      name: 'trail',
      columns: `org_id, id, flow_id, receipt, name, description, git_commit_info, commit_sha, branch, template_id,
        auto_created, revision, created_at, created_by, last_modified_at`,
      rows: mapEach(trails, (trail) => trailRow(org, templateId, trail)),
    },
    {
      name: 'trail_event',
      columns: 'org_id, trail_id, receipt, type, changes, created_at, created_by',
      rows: mapEach(trails, (trail) => {
        const receipt = trail.base + trail.place;
        return [org, trail.id, receipt, 'trail_reported', '{}', timeOf(receipt), 'ada'];
      }),
    },
    {
      name: 'trail_commit',
      columns: 'org_id, commit_sha, trail_receipt, trail_id',
      rows: mapEach(trails, (trail) => [org, commitOf(trail.number), trail.base + trail.place, trail.id]),
    },
    {
      name: 'artifact',
      columns: `org_id, id, receipt, flow_id, trail_id, fingerprint, filename, template_name, commit_sha, branch,
        build_url, commit_url, repo_url, content, created_at, created_by`,
      rows: alternating(trails, ARTIFACTS.length, (trail, artifact) => artifactRow(org, trail, artifact)),
    },
    {
      name: 'attestation',
      columns: `org_id, id, receipt, flow_id, trail_id, name, type, counts_as, is_compliant, fingerprint, commit_sha,
        control, trust, content, verdict, created_at, created_by`,
      rows: alternating(trails, ATTESTATIONS, (trail, report) => attestationRow(org, trail, report)),
    },
  ];
}

function* mapEach(trails: readonly Trail[], row: (trail: Trail) => Row): Iterable<Row> {
  for (const trail of trails) yield row(trail);
}

function* alternating(
  trails: readonly Trail[],
  each: number,
  row: (trail: Trail, report: number) => Row,
): Iterable<Row> {
  for (let first = 0; first < trails.length; first += BATCH_SIZE) {
    const batch = trails.slice(first, first + BATCH_SIZE);
    for (let report = 0; report < each; report++) for (const trail of batch) yield row(trail, report);
  }
}

function trailRow(org: string, templateId: string, trail: Trail): Row {
  const receipt = trail.base + trail.place;
  const at = timeOf(receipt);
  const commit = JSON.stringify(commitInfo(trail));
  return [
    ...[org, trail.id, trail.flowId, receipt, trailName(trail.number), 'A build of main', commit],
    ...[commitOf(trail.number), 'main', templateId, false, 1, at, 'ada', at],
  ];
}

function artifactRow(org: string, trail: Trail, artifact: number): Row {
  const receipt = trail.base + BATCH_SIZE * (1 + artifact) + trail.place;
  const name = ARTIFACTS[artifact] ?? '';
  const fingerprint = fingerprintOf(trail.number, artifact);
  const filename = `registry.example.com/acme/${name}:build-${trail.number}`;
  const commit = commitInfo(trail);
  const build = `https://ci.example.com/acme/builds/${trail.number}`;
  const content = JSON.stringify({
    build_url: build,
    commit_url: commit.url,
    filename,
    fingerprint,
    git_commit: commit.sha1,
    git_commit_info: commit,
    template_reference_name: name,
    trail_name: trailName(trail.number),
  });
  return [
    ...[org, randomUUIDv7(), receipt, trail.flowId, trail.id, fingerprint, filename, name, commit.sha1, 'main'],
    ...[build, commit.url, 'https://git.example.com/acme/web', content, timeOf(receipt), 'ada'],
  ];
}

function attestationRow(org: string, trail: Trail, report: number): Row {
  const receipt = trail.base + BATCH_SIZE * (1 + ARTIFACTS.length + report) + trail.place;
  const name = NAMES[report % NAMES.length] ?? '';
  const type = TYPES[name as keyof typeof TYPES];
  const isAboutTrail = report % NAMES.length < ABOUT_TRAIL;
  const fingerprint = isAboutTrail ? null : fingerprintOf(trail.number, Math.floor(report / NAMES.length));
  const isCompliant = (trail.number + report) % 30 !== 0;
  const commit = commitInfo(trail);
  const content = JSON.stringify({
    ...(fingerprint && { artifact_fingerprint: fingerprint }),
    attestation_name: name,
    description: 'Reported by the build of main, after the last step of the stage was done.',
    git_commit_info: commit,
    is_compliant: isCompliant,
    user_data: { build: `https://ci.example.com/acme/builds/${trail.number}`, attempt: report, duration: 302.4 },
  });
  const reasons = isCompliant ? [] : ['2 of 1841 tests failed: login keeps the session, export resumes.'];
  const verdict = JSON.stringify({ judged_by: { verdict: 'verdict/1' }, read: null, reasons });
  const control = type === 'decision' ? 'SDLC-7' : null;
  return [
    ...[org, randomUUIDv7(), receipt, trail.flowId, trail.id, name, type, type, isCompliant, fingerprint, commit.sha1],
    ...[control, 'api_key', content, verdict, timeOf(receipt), 'ada'],
  ];
}

function commitInfo(trail: Trail) {
  const sha1 = commitOf(trail.number);
  return {
    author: 'Ada Lovelace <ada@example.com>',
    branch: 'main',
    message: 'Keep the session when the token is renewed',
    sha1,
    timestamp: BEGUN / 1000 + trail.number,
    url: `https://git.example.com/acme/web/commit/${sha1}`,
  };
}

function timeOf(receipt: number): string {
  return new Date(momentOf(receipt)).toISOString();
}

/** In milliseconds. */
export function momentOf(receipt: number): number {
  return BEGUN + receipt * 10_000;
}
