import { HOUR, MINUTE, plus, secondsOf } from '../moments.ts';
import type { Release } from '../release-plan.ts';
import { CONTROLS, SERVICES } from '../shop.ts';
import type { Words } from '../words.ts';
import { commitInfo, pullRequestUrl } from './commit.ts';

/** What the pipeline of a release reports, kind by kind. */

export function ticketBody(release: Release, words: Words) {
  return {
    attestation_name: 'ticket',
    jira_results: [
      {
        issue_id: release.ticket,
        issue_url: words.url(`https://tickets.example.com/browse/${release.ticket}`),
        issue_exists: true,
        issue_fields: {
          summary: words.text(release.message),
          status: 'In review',
          assignee: release.author.username,
          type: 'Story',
        },
      },
    ],
  };
}

export function pullRequestBody(release: Release, words: Words) {
  const approvedAt = secondsOf(plus(release.committedAt, 6 * MINUTE));
  return {
    attestation_name: 'pull-request',
    git_provider: 'github',
    pull_requests: [
      {
        url: pullRequestUrl(release),
        state: 'MERGED',
        merge_commit: release.commit,
        author: release.author.username,
        title: words.text(release.message),
        approvers: release.approvers.map(({ username }) => ({ username, state: 'APPROVED', timestamp: approvedAt })),
        commits: [commitInfo(release, words)],
        created_at: secondsOf(plus(release.committedAt, -5 * HOUR)),
        merged_at: secondsOf(plus(release.committedAt, 8 * MINUTE)),
        head_ref: words.text(`feature/${release.ticket.toLowerCase()}`),
        base_ref: 'main',
      },
    ],
  };
}

export function testsBody(release: Release, words: Words) {
  return {
    attestation_name: 'unit-tests',
    artifact_fingerprint: release.fingerprint,
    origin_url: words.url(`https://ci.example.com/acme/${release.service}/runs/${release.trail}/tests`),
    junit_results: suitesOf(release).map((suite, i, { length }) => ({
      name: words.text(suite),
      total: Math.ceil(release.tests / length),
      failures: i === 0 ? release.failures : 0,
      errors: 0,
      skipped: i === length - 1 ? 2 : 0,
      duration: 11.4 + release.tests / 40 + i,
      timestamp: secondsOf(plus(release.builtAt, 2 * MINUTE)),
    })),
  };
}

export function suitesOf({ service }: Release): readonly string[] {
  return SERVICES.find(({ name }) => name === service)?.suites ?? [service];
}

const WEAKNESSES = {
  high: [
    { id: 'CWE-89', message: 'The bank name is used in a query without sanitization (src/settlement/find-bank.ts:41)' },
    { id: 'CWE-798', message: 'A password for the test bank is in the source (src/settlement/client.ts:12)' },
  ],
  medium: [{ id: 'CWE-400', message: 'The response body is read without a size limit (src/settlement/client.ts:77)' }],
};

export function scanBody(release: Release, words: Words) {
  const { high, medium } = release.findings;
  const some = (level: 'high' | 'medium', count: number) =>
    WEAKNESSES[level].slice(0, count).map(({ id, message }) => ({ id, message: words.text(message) }));
  return {
    attestation_name: 'sast',
    artifact_fingerprint: release.fingerprint,
    description: words.text('Static analysis of the source code, before the image is pushed'),
    snyk_results: {
      schema_version: 2,
      tool: { name: words.text('Snyk Code'), version: '1.1304.0' },
      results: [
        {
          high_count: high,
          medium_count: medium,
          low_count: 0,
          high: some('high', high),
          medium: some('medium', medium),
        },
      ],
    },
  };
}

/** Whether a second person approved the change. */
export function reviewBody(release: Release, words: Words) {
  const by = release.approvers.map(({ name }) => name);
  const approval =
    by.length > 0 ? `Approved by ${by.join(' and ')}` : 'Not reviewed: only the author has seen the change';
  return {
    attestation_name: 'review',
    artifact_fingerprint: release.fingerprint,
    control: CONTROLS.secondPerson,
    description: words.text(approval),
    attestation_data: {
      is_compliant: by.length > 0,
      decided_by: 'review-bot',
      approvers: release.approvers.map(({ username }) => username),
    },
  };
}

export function scannedBody(release: Release, words: Words) {
  const { high } = release.findings;
  return {
    attestation_name: `decision-${CONTROLS.scanned}`,
    artifact_fingerprint: release.fingerprint,
    control: CONTROLS.scanned,
    description: words.text(high > 0 ? `${high} open high-severity findings` : 'No open findings'),
    attestation_data: { is_compliant: high === 0, decided_by: 'scan-bot' },
  };
}

export function signOffBody(words: Words) {
  return {
    attestation_name: `decision-${CONTROLS.signOff}`,
    control: CONTROLS.signOff,
    description: words.text('Approved by the release manager'),
    attestation_data: { is_compliant: true, decided_by: 'bea' },
  };
}

export function qualityBody(release: Release, words: Words) {
  return {
    attestation_name: 'quality-gate',
    artifact_fingerprint: release.fingerprint,
    sonar_results: {
      qualityGate: {
        status: 'OK',
        conditions: [
          { metric: 'new_coverage', status: 'OK', value: '86.4', errorThreshold: '80' },
          { metric: 'new_duplicated_lines_density', status: 'OK', value: '0.9', errorThreshold: '3' },
        ],
      },
      project: {
        key: words.text(`acme_${release.service}`),
        url: words.url(`https://quality.example.com/acme_${release.service}`),
      },
      revision: release.commit,
      analysedAt: release.builtAt.toISOString(),
    },
  };
}

export const LOAD_TEST = 'load-test';

export function loadTestBody(release: Release, words: Words) {
  return {
    attestation_name: 'load-test',
    artifact_fingerprint: release.fingerprint,
    type_name: LOAD_TEST,
    annotations: { scenario: words.text('evening-peak') },
    attestation_data: {
      scenario: words.text('evening peak'),
      requests: 120_000 + release.tests * 10,
      p95_ms: 140 + (release.pullRequest % 60),
      errors: release.pullRequest % 3,
    },
  };
}

export function smokeTestBody(release: Release, words: Words) {
  return {
    attestation_name: 'smoke-test',
    artifact_fingerprint: release.fingerprint,
    is_compliant: true,
    description: words.text('Orders a product in staging and cancels it'),
    external_urls: { recording: { href: words.url(`https://ci.example.com/recordings/${release.trail}`) } },
    user_data: { browser: words.text('Chromium 141'), steps: 14 },
  };
}

export function provenanceBody(release: Release) {
  return { attestation_name: 'provenance', artifact_fingerprint: release.fingerprint };
}
