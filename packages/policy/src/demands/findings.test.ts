import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { artifactIn, asking, flow, IN_PRODUCTION, passed } from '../decide-examples.ts';
import { instantOf, nextInstant } from '../decide-instants.ts';
import { evidenceKey } from '../decide-keys.ts';
import type { AttestationEvidence } from '../evidence.ts';
import { parsePolicy } from '../parse-policy.ts';
import type { FindingEvidence, FindingsReading, Severity } from '../readings.ts';
import { readingsFor } from '../readings-for.ts';

const DAY = 24 * 3600;
const SEEN = Date.UTC(2026, 10, 1, 8) / 1000;
const SCAN: AttestationEvidence = { ...passed('scan', 'snyk'), findings: { set: 'a', count: 1 } };
const identity = { name: 'production', version: 1 };

function found(severity: Severity, id = 'CVE-2026-1', more: Partial<FindingEvidence> = {}): FindingEvidence {
  return { id, severity, component: 'pkg:npm/lodash@4.17.20', fixed: '4.17.21', seen: SEEN, ...more };
}

/** Without a fixed version. */
function unfixed(severity: Severity, id = 'CVE-2026-2'): FindingEvidence {
  return { id, severity, component: 'pkg:npm/tar@6.0.0', seen: SEEN };
}

interface Given {
  readonly others?: FindingsReading['others'];
  readonly at?: number;
  readonly scan?: AttestationEvidence;
}

function judge(rule: string, findings: readonly FindingEvidence[], { others = {}, at, scan = SCAN }: Given = {}) {
  const readings = new Map([['a', { kind: 'findings' as const, findings, others }]]);
  const context = { ...IN_PRODUCTION, readings, ...(at !== undefined && { at }) };
  return decide(asking(`{ type: snyk, findings: ${rule} }`), identity, artifactIn(flow('web', scan)), context);
}

const [C, H, M, L, U] = [
  found('critical', 'C'),
  found('high', 'H'),
  found('medium', 'M'),
  found('low', 'L'),
  found('unknown', 'U'),
];
const STRICT = '{ max: { critical: 0, high: 0 } }';
const [OK, NO] = ['COMPLIANT', 'NON-COMPLIANT'];

type Case = readonly [it: string, rule: string, findings: readonly FindingEvidence[], status: string | undefined];

describe('max', () => {
  it.each<Case>([
    ['nothing found', STRICT, [], OK],
    ['one critical', STRICT, [C], NO],
    ['one high', STRICT, [H], NO],
    ['both', STRICT, [C, H], NO],
    ['severities without a limit', STRICT, [M, L, U], OK],
    ['a medium of none', '{ max: { medium: 0 } }', [M], NO],
    ['a low of none', '{ max: { low: 0 } }', [L], NO],
    ['an unknown of none', '{ max: { unknown: 0 } }', [U], NO],
    ['a critical where only low is limited', '{ max: { low: 0 } }', [C], OK],
    ['as many as allowed', '{ max: { high: 2 } }', [H, found('high', 'H2')], OK],
    ['one more than allowed', '{ max: { high: 1 } }', [H, found('high', 'H2')], NO],
    ['fewer than allowed', '{ max: { high: 3 } }', [H], OK],
    ['one severity above, another below', '{ max: { critical: 1, high: 0 } }', [C, H], NO],
    [
      'each severity at its limit',
      '{ max: { critical: 1, high: 1, medium: 1, low: 1, unknown: 1 } }',
      [C, H, M, L, U],
      OK,
    ],
    ['a limit as high as it may be', '{ max: { low: 100000 } }', [L], OK],
  ])('%s', (_, rule, findings, status) => {
    expect(judge(rule, findings).status).toBe(status);
  });

  it.each<readonly [string, string, FindingsReading['others'], string | undefined]>([
    ['count where they are limited', STRICT, { high: 1 }, NO],
    ['are as unlimited as any', STRICT, { low: 900 }, OK],
    ['add to what is listed', '{ max: { low: 2 } }', { low: 2 }, NO],
    [
      'count although they cannot be ignored',
      '{ max: { low: 1 }, ignore: [{ id: L, reason: r, until: 2027-01-01 }] }',
      { low: 2 },
      NO,
    ],
    ['count although nothing says that they can be fixed', '{ max: { high: 0 }, only_fixable: true }', { high: 1 }, NO],
    ['count although they may be new', '{ max: { high: 0 }, grace_days: { high: 9 } }', { high: 1 }, NO],
  ])('findings beyond those that are stored %s', (_, rule, others, status) => {
    expect(judge(rule, [L], { others }).status).toBe(status);
  });
});

describe('only_fixable', () => {
  it.each<Case>([
    ['a fixable finding counts', '{ max: { high: 0 }, only_fixable: true }', [H], NO],
    ['one without a fix does not', '{ max: { high: 0 }, only_fixable: true }', [unfixed('high')], OK],
    ['of two only the fixable one counts', '{ max: { high: 1 }, only_fixable: true }', [H, unfixed('high')], OK],
    ['two fixable ones are too many', '{ max: { high: 1 }, only_fixable: true }', [H, found('high', 'H2')], NO],
    ['said to be false, all count', '{ max: { high: 0 }, only_fixable: false }', [unfixed('high')], NO],
    ['not said, all count', '{ max: { high: 0 } }', [unfixed('high')], NO],
    [
      'a finding in code has no fixed version',
      '{ max: { high: 0 }, only_fixable: true }',
      [{ id: 'js/xss', severity: 'high', location: 'a.js:1', seen: SEEN }],
      OK,
    ],
  ])('%s', (_, rule, findings, status) => {
    expect(judge(rule, findings).status).toBe(status);
  });
});

const UNTIL = Date.UTC(2026, 11, 24) / 1000;
const ignoring = (id: string, until = '2026-12-24') =>
  `{ max: { high: 0 }, ignore: [{ id: ${id}, reason: not reachable, until: ${until} }] }`;

describe('ignore', () => {
  it.each<readonly [string, string, readonly FindingEvidence[], number | undefined, string | undefined]>([
    ['by its id', ignoring('H'), [H], SEEN, OK],
    ['in another case', ignoring('cve-2026-1'), [found('high')], SEEN, OK],
    ['by an alias', ignoring('GHSA-1'), [found('high', 'H', { aliases: ['X', 'GHSA-1'] })], SEEN, OK],
    ['by an alias in another case', ignoring('ghsa-1'), [found('high', 'H', { aliases: ['GHSA-1'] })], SEEN, OK],
    ['not by a part of the id', ignoring('CVE-2026'), [found('high')], SEEN, NO],
    ['not another finding', ignoring('CVE-2026-9'), [found('high')], SEEN, NO],
    ['in every component', ignoring('H'), [H, found('high', 'H', { component: 'other@1' })], SEEN, OK],
    ['and another counts', ignoring('H'), [H, found('high', 'H2')], SEEN, NO],
    ['a second before the day', ignoring('H'), [H], UNTIL - 1, OK],
    ['at the start of the day', ignoring('H'), [H], UNTIL, OK],
    ['in the last second of the day', ignoring('H'), [H], UNTIL + DAY - 1, OK],
    ['no more on the next day', ignoring('H'), [H], UNTIL + DAY, NO],
    ['long after', ignoring('H'), [H], UNTIL + 999 * DAY, NO],
    ['on a leap day', ignoring('H', '2028-02-29'), [H], Date.UTC(2028, 1, 29, 12) / 1000, OK],
    ['at no time in particular', ignoring('H'), [H], undefined, OK],
  ])('%s', (_, rule, findings, at, status) => {
    expect(judge(rule, findings, at === undefined ? {} : { at }).status).toBe(status);
  });

  it('the later end of two entries for one finding counts', () => {
    const rule =
      '{ max: { high: 0 }, ignore: [{ id: H, reason: a, until: 2026-11-30 }, { id: h, reason: b, until: 2026-12-31 }] }';
    expect(judge(rule, [H], { at: UNTIL }).status).toBe(OK);
  });

  it('the later end counts where an id and an alias are ignored', () => {
    const rule =
      '{ max: { high: 0 }, ignore: [{ id: H, reason: a, until: 2026-12-31 }, { id: A, reason: b, until: 2026-11-30 }] }';
    expect(judge(rule, [found('high', 'H', { aliases: ['A'] })], { at: UNTIL }).status).toBe(OK);
  });
});

const GRACE = '{ max: { critical: 0, high: 0 }, grace_days: { critical: 7, high: 14 } }';

describe('grace_days', () => {
  it.each<readonly [string, readonly FindingEvidence[], number | undefined, string | undefined]>([
    ['new', [C, H], SEEN, OK],
    ['a second before the end of the shorter one', [C, H], SEEN + 7 * DAY - 1, OK],
    ['at the end of the shorter one', [C, H], SEEN + 7 * DAY, NO],
    ['at that time, only the one with the longer', [H], SEEN + 7 * DAY, OK],
    ['a second before the end of the longer one', [H], SEEN + 14 * DAY - 1, OK],
    ['at the end of the longer one', [H], SEEN + 14 * DAY, NO],
    ['a newer finding has its own days', [found('critical', 'C2', { seen: SEEN + 5 * DAY })], SEEN + 11 * DAY, OK],
    [
      'an older finding counts though another is new',
      [C, found('critical', 'C2', { seen: SEEN + 5 * DAY })],
      SEEN + 8 * DAY,
      NO,
    ],
    ['at no time in particular', [C, H], undefined, OK],
    ['long after', [C], SEEN + 4000 * DAY, NO],
  ])('%s', (_, findings, at, status) => {
    expect(judge(GRACE, findings, at === undefined ? {} : { at }).status).toBe(status);
  });

  it.each<readonly [string, string, FindingEvidence, string | undefined]>([
    ['a severity without days counts at once', '{ max: { critical: 0, high: 0 }, grace_days: { high: 14 } }', C, NO],
    ['a severity without a limit needs none', '{ max: { critical: 0 }, grace_days: { high: 14 } }', H, OK],
    [
      'with only_fixable, one without a fix never counts',
      '{ max: { high: 0 }, only_fixable: true, grace_days: { high: 1 } }',
      unfixed('high'),
      OK,
    ],
    [
      'with ignore, it is ignored after its days',
      '{ max: { high: 0 }, grace_days: { high: 1 }, ignore: [{ id: H, reason: r, until: 2026-12-24 }] }',
      H,
      OK,
    ],
    [
      'with ignore that ended, it counts after its days',
      '{ max: { high: 0 }, grace_days: { high: 1 }, ignore: [{ id: H, reason: r, until: 2026-11-02 }] }',
      H,
      NO,
    ],
  ])('%s', (_, rule, finding, status) => {
    expect(judge(rule, [finding], { at: SEEN + 10 * DAY }).status).toBe(status);
  });
});

describe('what is judged', () => {
  it.each<readonly [string, Partial<AttestationEvidence>, readonly FindingEvidence[], string | undefined]>([
    ['a scan that failed its own threshold, within the limits', { isCompliant: false }, [M], OK],
    ['a scan that passed its own threshold, above the limits', { isCompliant: true }, [H], NO],
    ['an override as compliant', { isOverride: true, isCompliant: true }, [H], OK],
    ['an override as not compliant', { isOverride: true, isCompliant: false }, [], NO],
  ])('%s', (_, more, findings, status) => {
    expect(judge(STRICT, findings, { scan: { ...SCAN, ...more } }).status).toBe(status);
  });

  it('a rule may demand both the limits and the threshold of the scan', () => {
    const both = asking(`{ type: snyk, must_be_compliant: true, findings: ${STRICT} }`);
    const evidence = artifactIn(flow('web', { ...SCAN, isCompliant: false, reasons: ['1 warning'] }));
    const readings = new Map([['a', { kind: 'findings' as const, findings: [M], others: {} }]]);
    expect(decide(both, identity, evidence, { ...IN_PRODUCTION, readings }).status).toBe(NO);
  });

  it.each<readonly [string, AttestationEvidence]>([
    ['counts only', passed('scan', 'snyk')],
    ['a list that is gone', { ...SCAN, findings: { set: 'gone', count: 1 } }],
  ])('%s are missing evidence', (_, scan) => {
    expect(judge(STRICT, [], { scan }).reasons).toMatchObject([
      {
        resolution: 'missing_attestation',
        message:
          "Policy 'production' requires an attestation of type snyk, with no critical or high findings. " +
          "In flow 'web', trail 'release-7', 'scan' has no findings that can be read.",
        fix: "Report 'scan' again in trail 'release-7' of flow 'web', with the result of the scan as its attachment.",
      },
    ]);
  });

  it('too many findings fail in any flow, although another flow has none', () => {
    const rule = asking(`{ type: snyk, findings: ${STRICT} }`);
    const readings = new Map([
      ['a', { kind: 'findings' as const, findings: [C], others: {} }],
      ['b', { kind: 'findings' as const, findings: [], others: {} }],
    ]);
    const clean = { ...SCAN, id: 'clean', findings: { set: 'b', count: 0 } };
    const evidence = artifactIn(flow('web', SCAN), flow('audit', clean));
    expect(decide(rule, identity, evidence, { ...IN_PRODUCTION, readings })).toMatchObject({
      status: NO,
      reasons: [{ flow_name: 'web', resolution: 'non_compliant_attestation' }],
    });
    expect(decide(rule, identity, artifactIn(flow('audit', clean)), { ...IN_PRODUCTION, readings }).status).toBe(OK);
  });

  it('the lists that a decision needs are known', () => {
    const evidence = artifactIn(
      flow('web', SCAN, { ...SCAN, id: 'x', name: 'other', findings: { set: 'b', count: 7 } }),
    );
    expect(readingsFor(asking(`{ type: snyk, findings: ${STRICT} }`), evidence)).toEqual([
      { id: 'a', count: 1 },
      { id: 'b', count: 7 },
    ]);
    expect(readingsFor(asking(`{ name: scan, type: snyk, findings: ${STRICT} }`), evidence)).toHaveLength(1);
    expect(readingsFor(asking('{ type: snyk }'), evidence)).toEqual([]);
    expect(readingsFor(asking(`{ name: scan, type: '*', findings: ${STRICT} }`), evidence)).toHaveLength(1);
  });

  it('evidence without findings has the same key as before there were any', () => {
    expect(evidenceKey(artifactIn(flow('web', passed('scan', 'snyk'))))).not.toContain('findings');
    expect(evidenceKey(artifactIn(flow('web', SCAN)))).toContain('"findings":{"count":1,"set":"a"}');
  });
});

describe('reasons', () => {
  const IN = "In flow 'web', trail 'release-7',";
  const AGAIN = "report 'scan' again in trail 'release-7' of flow 'web'";
  const OVERRIDE = "or override 'scan' with a reason.";

  it.each<readonly [string, string, readonly FindingEvidence[], string, string]>([
    [
      'an update that is known',
      STRICT,
      [found('critical')],
      `${IN} 'scan' has 1 critical finding, and none is allowed: CVE-2026-1 in pkg:npm/lodash@4.17.20.`,
      `Update pkg:npm/lodash@4.17.20 to 4.17.21, and ${AGAIN}, ${OVERRIDE}`,
    ],
    [
      'the highest of several fixed versions, as numbers',
      STRICT,
      [found('high', 'A', { fixed: '4.9.0' }), found('high', 'B', { fixed: '4.10.0' })],
      `${IN} 'scan' has 2 high findings, and none is allowed: A in pkg:npm/lodash@4.17.20 and B in pkg:npm/lodash@4.17.20.`,
      `Update pkg:npm/lodash@4.17.20 to 4.10.0, and ${AGAIN}, ${OVERRIDE}`,
    ],
    [
      'no more updates than are needed',
      '{ max: { high: 1 } }',
      [found('high', 'A'), found('high', 'B'), found('high', 'C', { component: 'tar@1', fixed: '2' })],
      `${IN} 'scan' has 3 high findings, of which 1 is allowed: A in pkg:npm/lodash@4.17.20, B in pkg:npm/lodash@4.17.20 and C in tar@1.`,
      `Update pkg:npm/lodash@4.17.20 to 4.17.21, and ${AGAIN}, ${OVERRIDE}`,
    ],
    [
      'no version that fixes it',
      STRICT,
      [unfixed('high')],
      `${IN} 'scan' has 1 high finding, and none is allowed: CVE-2026-2 in pkg:npm/tar@6.0.0.`,
      `For CVE-2026-2 no fixed version is known: fix or remove what it affects and ${AGAIN}, ignore it in the policy with a reason, ${OVERRIDE}`,
    ],
    [
      'both',
      STRICT,
      [found('critical'), unfixed('high')],
      `${IN} 'scan' has 1 critical finding, and none is allowed; 1 high finding, and none is allowed: CVE-2026-1 in pkg:npm/lodash@4.17.20 and CVE-2026-2 in pkg:npm/tar@6.0.0.`,
      `Update pkg:npm/lodash@4.17.20 to 4.17.21, and ${AGAIN}. For CVE-2026-2 no fixed version is known: fix or remove what it affects and ${AGAIN}, ignore it in the policy with a reason, ${OVERRIDE}`,
    ],
    [
      'a finding in code',
      STRICT,
      [{ id: 'js/xss', severity: 'high', location: 'src/a.js:7', seen: SEEN }],
      `${IN} 'scan' has 1 high finding, and none is allowed: js/xss in src/a.js:7.`,
      `For js/xss no fixed version is known: fix or remove what it affects and ${AGAIN}, ignore it in the policy with a reason, ${OVERRIDE}`,
    ],
    [
      'more than can be named',
      STRICT,
      ['A', 'B', 'C', 'D', 'E'].map((id) => ({ id, severity: 'high' as const, seen: SEEN })),
      `${IN} 'scan' has 5 high findings, and none is allowed: A, B and 3 more.`,
      `For A, B and 3 more no fixed version is known: fix or remove what it affects and ${AGAIN}, ignore it in the policy with a reason, ${OVERRIDE}`,
    ],
  ])('name %s', (_, rule, findings, message, fix) => {
    const [reason] = judge(rule, findings).reasons;
    expect(reason?.message.replace(/^Policy .*? findings\. /, '')).toBe(message);
    expect(reason?.fix).toBe(fix);
  });

  it('of findings that are not stored say what to do', () => {
    const [reason] = judge(STRICT, [], { others: { high: 3 } }).reasons;
    expect(reason?.message).toContain("'scan' has 3 high findings, and none is allowed.");
    expect(reason?.fix).toBe(`Fix what was found and ${AGAIN}, ${OVERRIDE}`);
  });

  it('of an override quote it', () => {
    const scan = { ...SCAN, isOverride: true, isCompliant: false, reasons: ['Found by hand.'] };
    const [reason] = judge(STRICT, [], { scan }).reasons;
    expect(reason?.message).toContain("'scan' was overridden as not compliant: Found by hand.");
  });

  it('have the counts and the first ids for clients', () => {
    const many = Array.from({ length: 30 }, (_, i) => found('high', `CVE-${i}`));
    expect(judge(STRICT, [...many, M]).ruleEvaluations[0]?.resolutions[0]?.context).toMatchObject({
      findings: { high: 30, medium: 1 },
      max_findings: { critical: 0, high: 0 },
      finding_ids: { length: 20 },
    });
  });

  it.each([
    ['{ max: { critical: 0 } }', 'with no critical findings'],
    ['{ max: { critical: 0, high: 0, medium: 0 } }', 'with no critical, high, or medium findings'],
    ['{ max: { critical: 0, high: 2 } }', 'with no critical and at most 2 high findings'],
    ['{ max: { high: 0 }, only_fixable: true }', 'with no high findings that a known version fixes'],
    [
      '{ max: { critical: 0, high: 0 }, grace_days: { critical: 1, high: 14 } }',
      'with no critical or high findings, of which critical ones count after 1 day and high ones count after 14 days',
    ],
    [ignoring('H'), 'with no high findings, except H'],
  ])('say what %s requires', (rule, words) => {
    const { reasons } = judge(rule, [], { scan: passed('scan', 'snyk') });
    expect(reasons[0]?.message).toContain(`requires an attestation of type snyk, ${words}. In flow`);
  });
});

describe('the time that a decision speaks of', () => {
  const readings = new Map([['a', { kind: 'findings' as const, findings: [C, H, M], others: {} }]]);
  const EVIDENCE = artifactIn(flow('web', SCAN));

  it('turns at the end of each grace, and of each entry that ignores something', () => {
    const policy = asking(
      '{ type: snyk, findings: { max: { high: 0 }, grace_days: { critical: 7, high: 14 }, ignore: [{ id: M, reason: r, until: 2026-11-10 }, { id: Z, reason: r, until: 2026-11-11 }] } }',
    );
    const turns = [SEEN + 7 * DAY, Date.UTC(2026, 10, 11) / 1000, SEEN + 14 * DAY];
    let now = SEEN;
    for (const turn of turns) {
      expect(nextInstant(policy, EVIDENCE, now, readings)).toBe(turn);
      expect(instantOf(policy, EVIDENCE, turn, readings)).toBe(turn);
      now = turn;
    }
    expect(nextInstant(policy, EVIDENCE, now, readings)).toBeNull();
    expect(instantOf(policy, EVIDENCE, SEEN, readings)).toBe(0);
  });

  it('is none where nothing depends on it', () => {
    const policy = asking(`{ type: snyk, findings: ${STRICT} }`);
    expect(instantOf(policy, EVIDENCE, SEEN, readings)).toBeNull();
  });
});

describe('the field', () => {
  const problemsOf = (rule: string) => {
    const text = `_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n    - ${rule}\n`;
    const parsed = parsePolicy(text);
    return 'problems' in parsed ? parsed.problems.map(({ message }) => message) : [];
  };

  it.each([
    ['has limits', '{ type: snyk, findings: {} }', 'max'],
    ['has at least one limit', '{ type: snyk, findings: { max: {} } }', 'at least one severity'],
    ['knows its severities', '{ type: snyk, findings: { max: { severe: 0 } } }', 'severe'],
    ['has no negative limit', '{ type: snyk, findings: { max: { high: -1 } } }', 'high'],
    ['has whole limits', '{ type: snyk, findings: { max: { high: 1.5 } } }', 'high'],
    ['has limits that are numbers', '{ type: snyk, findings: { max: { high: none } } }', 'high'],
    [
      'ignores with a reason',
      '{ type: snyk, findings: { max: { high: 0 }, ignore: [{ id: A, until: 2027-01-01 }] } }',
      'reason',
    ],
    [
      'ignores with a reason that says something',
      '{ type: snyk, findings: { max: { high: 0 }, ignore: [{ id: A, reason: " ", until: 2027-01-01 }] } }',
      '"reason" must say why',
    ],
    ['ignores until a day', '{ type: snyk, findings: { max: { high: 0 }, ignore: [{ id: A, reason: r }] } }', 'until'],
    [
      'ignores until a real day',
      '{ type: snyk, findings: { max: { high: 0 }, ignore: [{ id: A, reason: r, until: 2027-02-29 }] } }',
      '"until" must be a date',
    ],
    [
      'ignores until a day in full',
      '{ type: snyk, findings: { max: { high: 0 }, ignore: [{ id: A, reason: r, until: soon }] } }',
      '"until" must be a date',
    ],
    [
      'has whole days of grace',
      '{ type: snyk, findings: { max: { high: 0 }, grace_days: { high: 0 } } }',
      'at least 1',
    ],
    [
      'has at most ten years of grace',
      '{ type: snyk, findings: { max: { high: 0 }, grace_days: { high: 3651 } } }',
      'at most 3650',
    ],
    [
      'is for scans',
      '{ type: junit, findings: { max: { high: 0 } } }',
      '"findings" is only allowed with type "snyk" or "sbom" or "*", not "junit".',
    ],
    ['has no other keys', '{ type: snyk, findings: { max: { high: 0 }, min: 1 } }', 'min'],
  ])('%s', (_, rule, text) => {
    expect(problemsOf(rule).join('\n')).toContain(text);
  });

  it.each([
    '{ type: snyk, findings: { max: { critical: 0 } } }',
    "{ name: scan, type: '*', findings: { max: { unknown: 3 } } }",
    '{ type: snyk, max_age: 14d, min_trust: signature, findings: { max: { high: 0 }, only_fixable: true } }',
  ])('is accepted: %s', (rule) => {
    expect(problemsOf(rule)).toEqual([]);
  });
});
