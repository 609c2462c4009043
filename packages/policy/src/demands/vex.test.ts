import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { artifactIn, asking, flow, IN_PRODUCTION, passed } from '../decide-examples.ts';
import type { AttestationEvidence, StatementEvidence } from '../evidence.ts';
import { explainPolicy } from '../explain-policy.ts';
import { parsePolicy } from '../parse-policy.ts';
import type { FindingEvidence, Reading, VexEvidence } from '../readings.ts';
import { readingsFor } from '../readings-for.ts';
import { provenance } from './statement-examples.ts';

const VEX_BY_RELEASE: StatementEvidence = {
  predicateType: 'https://openvex.dev/ns/v0.2.0',
  isVerified: true,
  signers: [{ kind: 'key', id: 'k', name: 'release' }],
};
const DAY = 24 * 3600;
const AT = Date.UTC(2026, 10, 1, 8) / 1000;
const PURL = 'pkg:npm/lodash@4.17.20';
const identity = { name: 'production', version: 1 };
const SCAN: AttestationEvidence = { ...passed('scan', 'snyk'), findings: { set: 'scan', count: 1 } };
const HIGH: FindingEvidence = { id: 'CVE-2026-1', severity: 'high', aliases: ['GHSA-1'], component: PURL, seen: AT };
const [OK, NO] = ['COMPLIANT', 'NON-COMPLIANT'];

interface Document {
  readonly says: readonly VexEvidence[];
  readonly more?: Partial<AttestationEvidence>;
  readonly author?: string;
}

interface Given {
  readonly rule?: string;
  readonly findings?: readonly FindingEvidence[];
  readonly documents: readonly Document[];
}

const SIGNED = { trust: 'signature', at: AT } as const;

function given({ rule = '{ max: { high: 0 } }', findings = [HIGH], documents }: Given) {
  const readings = new Map<string, Reading>([['scan', { kind: 'findings', findings, others: {} }]]);
  const attestations = documents.map(({ says, more, author = 'Acme' }, i): AttestationEvidence => {
    readings.set(`vex-${i}`, { kind: 'vex', format: 'OpenVEX', author, statements: says });
    return { ...passed(`vex-${i}`, 'vex'), ...SIGNED, vex: { set: `vex-${i}`, count: says.length }, ...more };
  });
  const policy = asking(`{ type: snyk, findings: ${rule} }`);
  const evidence = artifactIn(flow('web', SCAN, ...attestations));
  const judged = decide(policy, identity, evidence, { ...IN_PRODUCTION, readings });
  return { policy, evidence, judged };
}

const statusOf = (all: Given) => given(all).judged.status;

const NOT: VexEvidence = {
  names: ['CVE-2026-1'],
  status: 'not_affected',
  justification: 'component_not_present',
  at: AT,
};
const FIXED: VexEvidence = { names: ['CVE-2026-1'], status: 'fixed', at: AT };
const AFFECTED: VexEvidence = { names: ['CVE-2026-1'], status: 'affected', at: AT };
const OPEN: VexEvidence = { names: ['CVE-2026-1'], status: 'under_investigation', at: AT };
const { justification: _, ...UNREASONED } = NOT;

describe('a statement', () => {
  it.each<[string, VexEvidence, string | undefined]>([
    ['not affected, with a justification', NOT, OK],
    ['not affected, without one', UNREASONED, NO],
    ['fixed', FIXED, OK],
    ['affected', AFFECTED, NO],
    ['under investigation', OPEN, NO],
    ['about an alias', { ...NOT, names: ['GHSA-1'] }, OK],
    ['about the id among others', { ...NOT, names: ['X-1', 'CVE-2026-1'] }, OK],
    ['about the id in another case', { ...NOT, names: ['cve-2026-1'] }, OK],
    ['about an alias in another case', { ...NOT, names: ['ghsa-1'] }, OK],
    ['about another id', { ...NOT, names: ['CVE-2026-2'] }, NO],
    ['about a part of the id', { ...NOT, names: ['CVE-2026'] }, NO],
    ['about nothing', { ...NOT, names: [] }, NO],
    ['about the component', { ...NOT, components: [PURL] }, OK],
    ['about every version of it', { ...NOT, components: ['pkg:npm/lodash'] }, OK],
    ['about another version', { ...NOT, components: ['pkg:npm/lodash@4.17.21'] }, NO],
    ['about another component', { ...NOT, components: ['pkg:npm/tar@6'] }, NO],
    ['about it among others', { ...NOT, components: ['pkg:npm/tar@6', PURL] }, OK],
    ['about no component that could be read', { ...NOT, components: [] }, NO],
    ['fixed in another version', { ...FIXED, components: ['pkg:npm/lodash@4.17.21'] }, NO],
  ])('excludes a finding or not: %s', (_, stated, status) => {
    expect(statusOf({ documents: [{ says: [stated] }] })).toBe(status);
  });

  it.each<[string, FindingEvidence, VexEvidence, string | undefined]>([
    [
      'of the whole artifact',
      { id: 'xss', severity: 'high', location: 'a.js:1', seen: AT },
      { ...NOT, names: ['xss'] },
      OK,
    ],
    [
      'of a component',
      { id: 'xss', severity: 'high', location: 'a.js:1', seen: AT },
      { ...NOT, names: ['xss'], components: ['a.js'] },
      NO,
    ],
  ])('excludes a finding in no component or not: %s', (_, finding, stated, status) => {
    expect(statusOf({ findings: [finding], documents: [{ says: [stated] }] })).toBe(status);
  });

  it('of two findings with one id excludes the one in its component', () => {
    const findings = [HIGH, { ...HIGH, component: 'pkg:npm/lodash-es@4.17.20' }];
    const documents = [{ says: [{ ...NOT, components: [PURL] }] }];
    expect(statusOf({ findings, documents })).toBe(NO);
    expect(statusOf({ findings, documents, rule: '{ max: { high: 1 } }' })).toBe(OK);
  });

  it('excludes none of the findings that are not stored one by one', () => {
    const readings = new Map<string, Reading>([
      ['scan', { kind: 'findings', findings: [], others: { high: 1 } }],
      ['vex', { kind: 'vex', format: 'OpenVEX', author: '', statements: [NOT] }],
    ]);
    const vex = { ...passed('vex', 'vex'), ...SIGNED, vex: { set: 'vex', count: 1 } };
    const policy = asking('{ type: snyk, findings: { max: { high: 0 } } }');
    const evidence = artifactIn(flow('web', SCAN, vex));
    expect(decide(policy, identity, evidence, { ...IN_PRODUCTION, readings }).status).toBe(NO);
  });
});

const later = (stated: VexEvidence, days: number): VexEvidence => ({ ...stated, at: AT + days * DAY });
const received = (days: number) => ({ more: { at: AT + days * DAY } });

describe('of several statements the newest counts', () => {
  it.each<[string, readonly Document[], string | undefined]>([
    ['not affected, then affected', [{ says: [NOT, later(AFFECTED, 1)], ...received(2) }], NO],
    ['affected, then not affected', [{ says: [AFFECTED, later(NOT, 1)], ...received(2) }], OK],
    ['in whatever order they are', [{ says: [later(NOT, 1), AFFECTED], ...received(2) }], OK],
    ['affected, then fixed', [{ says: [AFFECTED, later(FIXED, 1)], ...received(2) }], OK],
    ['fixed, then under investigation', [{ says: [FIXED, later(OPEN, 1)], ...received(2) }], NO],
    ['not affected, then without a reason', [{ says: [NOT, later(UNREASONED, 1)], ...received(2) }], NO],
    ['at the same time, they must agree', [{ says: [NOT, AFFECTED] }], NO],
    ['at the same time, they agree', [{ says: [NOT, FIXED] }], OK],
    ['by another name', [{ says: [NOT, later({ ...AFFECTED, names: ['GHSA-1'] }, 1)], ...received(2) }], NO],
    [
      'about another component, which does not matter',
      [{ says: [NOT, later({ ...AFFECTED, components: ['x'] }, 1)], ...received(2) }],
      OK,
    ],
    [
      'about the component, after one about everything',
      [{ says: [NOT, later({ ...AFFECTED, components: [PURL] }, 1)], ...received(2) }],
      NO,
    ],
    ['in two documents', [{ says: [NOT] }, { says: [later(AFFECTED, 1)], ...received(1) }], NO],
    [
      'in an old document that is sent again',
      [
        { says: [later(AFFECTED, 1)], ...received(1) },
        { says: [NOT], ...received(9) },
      ],
      NO,
    ],
    [
      'in a newer document that was received before',
      [
        { says: [later(NOT, 1)], ...received(1) },
        { says: [AFFECTED], ...received(9) },
      ],
      OK,
    ],
    [
      'from the future, as new as its receipt',
      [{ says: [later(NOT, 999)] }, { says: [later(AFFECTED, 1)], ...received(1) }],
      NO,
    ],
    [
      'without a time, as new as its receipt',
      [
        { says: [{ ...NOT, at: undefined } as never], ...received(2) },
        { says: [later(AFFECTED, 1)], ...received(3) },
      ],
      OK,
    ],
  ])('%s', (_, documents, status) => {
    expect(statusOf({ documents })).toBe(status);
  });
});

describe('a document', () => {
  const trusted = (trust: AttestationEvidence['trust'], rule = ''): Given => ({
    rule: `{ max: { high: 0 }${rule === '' ? '' : `, vex: ${rule}`} }`,
    documents: [{ says: [NOT], more: { trust } }],
  });

  it.each<[string, Given, string | undefined]>([
    ['signed', trusted('signature'), OK],
    ['from a workload', trusted('workload_identity'), NO],
    ['from a key', trusted('api_key'), NO],
    ['claimed', trusted('claimed'), NO],
    ['signed, as asked', trusted('signature', 'signature'), OK],
    ['from a workload, where a signature is asked', trusted('workload_identity', 'signature'), NO],
    ['from a workload, as asked', trusted('workload_identity', 'workload_identity'), OK],
    ['from a key, where a workload is asked', trusted('api_key', 'workload_identity'), NO],
    ['signed, where a workload is asked', trusted('signature', 'workload_identity'), OK],
    ['from a key, as asked', trusted('api_key', 'api_key'), OK],
    ['claimed, where a key is asked', trusted('claimed', 'api_key'), NO],
    ['signed, where none counts', trusted('signature', 'off'), NO],
  ])('counts by its trust: %s', (_, all, status) => {
    expect(statusOf(all)).toBe(status);
  });

  it.each<[string, Partial<AttestationEvidence>]>([
    ['is not compliant', { isCompliant: false }],
    ['was overridden', { isOverride: true }],
    ['cannot be read', { vex: { set: 'gone', count: 1 } }],
    ['is a list of findings', { vex: { set: 'scan', count: 1 } }],
  ])('that %s says nothing', (_, more) => {
    expect(statusOf({ documents: [{ says: [NOT], more }] })).toBe(NO);
  });

  it('that is trusted too little cannot contradict', () => {
    expect(
      statusOf({
        documents: [{ says: [NOT] }, { says: [later(AFFECTED, 1)], more: { trust: 'api_key', at: AT + DAY } }],
      }),
    ).toBe(OK);
  });

  it('may be of any type, such as a signed statement', () => {
    expect(statusOf({ documents: [{ says: [NOT], more: { type: 'in_toto' } }] })).toBe(OK);
  });

  it('in another flow says nothing', () => {
    const readings = new Map<string, Reading>([
      ['scan', { kind: 'findings', findings: [HIGH], others: {} }],
      ['vex', { kind: 'vex', format: 'OpenVEX', author: '', statements: [NOT] }],
    ]);
    const vex = { ...passed('vex', 'vex'), ...SIGNED, vex: { set: 'vex', count: 1 } };
    const policy = asking('{ type: snyk, findings: { max: { high: 0 } } }');
    const evidence = artifactIn(flow('web', SCAN), flow('shop', vex));
    expect(decide(policy, identity, evidence, { ...IN_PRODUCTION, readings }).status).toBe(NO);
  });
});

describe('with other fields of the rule', () => {
  it.each<[string, string, readonly FindingEvidence[], string | undefined]>([
    ['as many others as allowed', '{ max: { high: 1 } }', [HIGH, { ...HIGH, id: 'X', aliases: [] }], OK],
    ['more others than allowed', '{ max: { high: 0 } }', [HIGH, { ...HIGH, id: 'X', aliases: [] }], NO],
    ['only fixable', '{ max: { high: 0 }, only_fixable: true }', [{ ...HIGH, fixed: '4.17.21' }], OK],
  ])('%s', (_, rule, findings, status) => {
    expect(statusOf({ rule, findings, documents: [{ says: [NOT] }] })).toBe(status);
  });
});

describe('the explanation says what is excluded, and by whom', () => {
  const because = (all: Given) => {
    const { policy, evidence, judged } = given(all);
    return explainPolicy('artifact', { policy, identity, evidence, judged }).children[0]?.because;
  };

  it('where the rule is met', () => {
    const { judged } = given({ documents: [{ says: [NOT] }] });
    expect(judged.ruleEvaluations[0]?.resolutions[0]?.context).toMatchObject({
      vex: {
        excluded: 1,
        findings: [
          {
            id: 'CVE-2026-1',
            status: 'not_affected',
            justification: 'component_not_present',
            attestation_name: 'vex-0',
            by: 'Acme',
          },
        ],
      },
    });
    expect(because({ documents: [{ says: [NOT] }] })).toBe(
      "In flow 'web', trail 'release-7', 'scan' of type snyk is compliant. " +
        "VEX excludes CVE-2026-1 (not affected, by 'vex-0' of Acme).",
    );
  });

  it('where it is not', () => {
    const findings = [HIGH, { ...HIGH, id: 'CVE-2026-2', aliases: [] }];
    expect(given({ findings, documents: [{ says: [NOT], author: '' }] }).judged.reasons[0]?.message).toContain(
      "'scan' has 1 high finding, and none is allowed: CVE-2026-2 in pkg:npm/lodash@4.17.20; " +
        "VEX excludes CVE-2026-1 (not affected, by 'vex-0').",
    );
  });

  it('by the signers of the signed VEX, not of other statements', () => {
    const documents = [{ says: [FIXED], more: { type: 'in_toto', statements: [provenance(), VEX_BY_RELEASE] } }];
    expect(because({ documents })).toContain("VEX excludes CVE-2026-1 (fixed, by 'vex-0' of release).");
  });

  it('only the first of many, and none whose severity is not limited', () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ ...HIGH, id: `CVE-${i}` }));
    const says = [{ ...NOT, names: many.map(({ id }) => id) }];
    expect(because({ findings: many, documents: [{ says }] })).toContain(
      "VEX excludes CVE-0 (not affected, by 'vex-0' of Acme), CVE-1 (not affected, by 'vex-0' of Acme) and 28 more.",
    );
    const context = given({ findings: many, documents: [{ says }] }).judged.ruleEvaluations[0]?.resolutions[0]?.context;
    expect(context?.['vex']).toMatchObject({ excluded: 30, findings: { length: 20 } });
    expect(because({ rule: '{ max: { critical: 0 } }', documents: [{ says: [NOT] }] })).not.toContain('VEX');
  });
});

it.each<[string, string, readonly string[]]>([
  ['by default those of signed documents', '{ max: { high: 0 } }', ['scan', 'vex-0']],
  ['those of documents that are trusted enough', '{ max: { high: 0 }, vex: api_key }', ['scan', 'vex-0', 'vex-1']],
  ['none where none counts', '{ max: { high: 0 }, vex: off }', ['scan']],
])('a rule needs readings: %s', (_, rule, ids) => {
  const { policy, evidence } = given({
    rule,
    documents: [{ says: [NOT] }, { says: [NOT], more: { trust: 'api_key' } }],
  });
  expect(readingsFor(policy, evidence).map(({ id }) => id)).toEqual(ids);
});

it('another level of trust is refused', () => {
  const text =
    '_schema: https://example.com/policy/v1\nartifacts:\n  attestations: [{ type: snyk, findings: { max: { high: 0 }, vex: always } }]\n';
  expect(parsePolicy(text)).toMatchObject({ problems: [{ line: 3, path: 'artifacts.attestations.0.findings.vex' }] });
});
