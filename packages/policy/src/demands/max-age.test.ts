import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { artifactIn, asking, flow, IN_PRODUCTION, passed } from '../decide-examples.ts';
import { instantOf, nextInstant } from '../decide-instants.ts';
import { contextKey } from '../decide-keys.ts';
import { parsePolicy } from '../parse-policy.ts';

const DAY = 24 * 3600;
const RECORDED = Date.UTC(2026, 10, 1, 8) / 1000;
const SCAN = { ...passed('scan', 'snyk'), at: RECORDED };
const POLICY = asking('{ type: snyk, max_age: 14d }');
const EVIDENCE = artifactIn(flow('web', SCAN));

function judgeAt(at: number | undefined, evidence = EVIDENCE, policy = POLICY) {
  const context = at === undefined ? IN_PRODUCTION : { ...IN_PRODUCTION, at };
  return decide(policy, { name: 'production', version: 1 }, evidence, context);
}

it.each([
  ['new', RECORDED, 'COMPLIANT'],
  ['a second before its end', RECORDED + 14 * DAY - 1, 'COMPLIANT'],
  ['at its end', RECORDED + 14 * DAY, 'NON-COMPLIANT'],
  ['long after', RECORDED + 400 * DAY, 'NON-COMPLIANT'],
])('evidence with a maximum age is judged by it: %s', (_, at, status) => {
  expect(judgeAt(at).status).toBe(status);
});

it('names both dates, and a new report as the fix', () => {
  expect(judgeAt(RECORDED + 14 * DAY).reasons).toMatchObject([
    {
      resolution: 'missing_attestation',
      message:
        "Policy 'production' requires a compliant attestation of type snyk, at most 14 days old. In flow 'web', " +
        "trail 'release-7', 'scan' became too old on 2026-11-15 at 08:00 UTC: it was recorded on 2026-11-01 at 08:00 UTC.",
      fix: "Report 'scan' again in trail 'release-7' of flow 'web'.",
    },
  ]);
});

it('another flow may have newer evidence', () => {
  const both = artifactIn(flow('web', SCAN), flow('audit', { ...SCAN, id: 'newer', at: RECORDED + 10 * DAY }));
  expect(judgeAt(RECORDED + 15 * DAY, both).status).toBe('COMPLIANT');
});

it('evidence that fails is a failure, however old', () => {
  const failed = artifactIn(flow('web', { ...SCAN, isCompliant: false }));
  expect(judgeAt(RECORDED + 15 * DAY, failed).reasons).toMatchObject([{ resolution: 'non_compliant_attestation' }]);
});

describe('the time that a decision speaks of', () => {
  it('is the newest turn up to now, and the next one is known', () => {
    const end = RECORDED + 14 * DAY;
    expect(instantOf(POLICY, EVIDENCE, end - 1)).toBe(0);
    expect(nextInstant(POLICY, EVIDENCE, end - 1)).toBe(end);
    expect(instantOf(POLICY, EVIDENCE, end + 99)).toBe(end);
    expect(nextInstant(POLICY, EVIDENCE, end)).toBeNull();
  });

  it('turns only with evidence that a rule asks for', () => {
    const other = artifactIn(flow('web', { ...SCAN, type: 'junit' }));
    expect(nextInstant(POLICY, other, RECORDED)).toBeNull();
  });

  it('is part of the key only where a rule depends on it', () => {
    const timeless = asking('{ type: snyk }');
    expect(instantOf(timeless, EVIDENCE, RECORDED)).toBeNull();
    expect(contextKey(timeless, { ...IN_PRODUCTION, at: 7 })).not.toContain('"at"');
    expect(contextKey(POLICY, { ...IN_PRODUCTION, at: 7 })).toBe(
      '{"artifact":null,"at":7,"environment":{"name":null,"tags":{}}}',
    );
  });
});

it.each(['14', '14 days', '0d', '1.5d', '-1d', '4000d', '99999h', '2w', '', 14])('refuses the age %j', (age) => {
  const parsed = parsePolicy(
    `_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n    - { type: snyk, max_age: ${JSON.stringify(age)} }`,
  );
  expect(parsed).toMatchObject({
    problems: [
      {
        path: 'artifacts.attestations.0.max_age',
        message: '"max_age" must be a number of hours or days, such as "12h" or "14d", and at most 3650d.',
      },
    ],
  });
});

it.each(['1h', '12h', '14d', '3650d'])('accepts the age %s', (age) => {
  expect(asking(`{ type: snyk, max_age: ${age} }`).isTimed).toBe(true);
});
