import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createDatabase } from '../../apps/server/test/databases.ts';
import { type Simulation, simulatePolicy } from '../../packages/contract/src/index.ts';
import { type DemoApi, openDemoApi } from './demo-api.ts';
import { DAY, plus, secondsOf } from './moments.ts';

const demo = inject('demo');
const DAYS = 90;
let api: DemoApi;
beforeAll(async () => {
  const { url: databaseUrl } = await createDatabase(new URL(demo.installation.databaseUrl).pathname.slice(1));
  api = openDemoApi({ ...demo.installation, databaseUrl }, demo.org.now);
});
afterAll(() => api?.close());

function backTest(rule: string): Promise<Simulation> {
  return api.call(demo.org.keys.ada, simulatePolicy, {
    body: {
      policy_yaml: `_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n    - { ${rule} }\n`,
      alone: true,
      environments: ['production', 'eu-production', 'staging'],
      from_timestamp: secondsOf(plus(demo.org.now, -DAYS * DAY)),
    },
  });
}

const failing = ({ environments }: Simulation) => environments.reduce((sum, { would_fail }) => sum + would_fail, 0);

const PROVENANCE = 'type: in_toto, if: \'${{ flow.name == "payments" }}\'';
const SCAN = 'name: dependencies, type: snyk, if: \'${{ flow.name == "checkout" }}\'';
const TICKET = "name: ticket, type: jira, if: '${{ exists(flow) }}'";

const LIST = "name: sbom, type: sbom, if: '${{ exists(flow) }}'";
const REVIEW = "name: pull-request, type: pull_request, if: '${{ exists(flow) }}'";
const DECISION = "type: decision, if: '${{ exists(flow) }}'";

/** What a rule may ask of evidence, so that it is met, and so that it is not. */
const RULES: readonly [field: string, met: string, unmet: string][] = [
  ['licenses', `${LIST}, licenses: { allow: [MIT, ISC] }`, `${LIST}, licenses: { deny: [MIT] }`],
  [
    'not_by',
    `${REVIEW}, min_approvals: 1, not_by: [author, committer]`,
    `${REVIEW}, min_approvals: 3, not_by: [author, committer]`,
  ],
  ['min_deciders', `${DECISION}, min_deciders: 1`, `${DECISION}, min_deciders: 4`],
  ['max_age', `${TICKET}, max_age: 3650d`, `${TICKET}, max_age: 1h`],
  ['issue_status', `${TICKET}, issue_status: [In review]`, `${TICKET}, issue_status: [Done]`],
  ['findings: max', `${SCAN}, findings: { max: { critical: 0 } }`, `${SCAN}, findings: { max: { medium: 0 } }`],
  [
    'findings: only_fixable',
    `${SCAN}, findings: { max: { low: 0 }, only_fixable: true }`,
    `${SCAN}, findings: { max: { low: 0 } }`,
  ],
  [
    'findings: grace_days',
    `${SCAN}, findings: { max: { medium: 0 }, grace_days: { medium: 3650 } }`,
    `${SCAN}, findings: { max: { medium: 0 }, grace_days: { medium: 1 } }`,
  ],
  [
    'findings: ignore',
    `${SCAN}, findings: { max: { low: 0 }, ignore: [{ id: CVE-2026-18207, reason: No ranges of users, until: 2099-01-01 }] }`,
    `${SCAN}, findings: { max: { low: 0 }, ignore: [{ id: CVE-2026-18207, reason: No ranges of users, until: 2020-01-01 }] }`,
  ],
  ['findings: vex', `${SCAN}, findings: { max: { low: 0 }, vex: api_key }`, `${SCAN}, findings: { max: { low: 0 } }`],
  ['signed_by', `${PROVENANCE}, signed_by: { key: builder }`, `${PROVENANCE}, signed_by: { key: auditor }`],
  [
    'predicate_type',
    `${PROVENANCE}, predicate_type: https://slsa.dev/provenance/v1`,
    `${PROVENANCE}, predicate_type: https://slsa.dev/verification_summary/v1`,
  ],
  [
    'builder',
    `${PROVENANCE}, builder: https://ci.example.com/builder`,
    `${PROVENANCE}, builder: https://elsewhere.example.com/**`,
  ],
  [
    'source',
    `${PROVENANCE}, source: { commit: artifact }`,
    `${PROVENANCE}, source: { repository: https://elsewhere.example.com/** }`,
  ],
  ['materials', `${PROVENANCE}, materials: { allow: '**' }`, `${PROVENANCE}, materials: { deny: '**' }`],
];

describe(`a back-test over the ${DAYS} days of the demo`, () => {
  it.each(RULES)('judges %s', { timeout: 300_000 }, async (_, met, unmet) => {
    const [lenient, strict] = [await backTest(met), await backTest(unmet)];
    for (const { evaluated, truncated, flips } of [lenient, strict]) {
      expect(evaluated).toBeGreaterThan(100);
      expect(truncated).toBe(false);
      for (const { to, reasons } of flips) expect(reasons.length > 0).toBe(to === 'non-compliant');
    }
    expect(failing(lenient)).toBeLessThan(failing(strict));
  });
});
