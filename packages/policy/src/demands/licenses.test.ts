import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { artifactIn, asking, flow, IN_PRODUCTION, passed } from '../decide-examples.ts';
import { evidenceKey, readEvidence } from '../decide-keys.ts';
import type { AttestationEvidence, LicenseEvidence } from '../evidence.ts';
import { parsePolicy } from '../parse-policy.ts';

const identity = { name: 'production', version: 1 };
const [OK, NO] = ['COMPLIANT', 'NON-COMPLIANT'];

function license(expression: string | null, ...components: string[]): LicenseEvidence {
  const shown = components.length === 0 ? ['a@1'] : components;
  return { expression, count: shown.length, components: shown.slice(0, 3) };
}

function judge(
  rule: string,
  licenses: readonly LicenseEvidence[] | undefined,
  more: Partial<AttestationEvidence> = {},
) {
  const bom = { ...passed('bom', 'sbom', more), ...(licenses && { licenses }) };
  return decide(asking(`{ type: sbom, licenses: ${rule} }`), identity, artifactIn(flow('web', bom)), IN_PRODUCTION);
}

const DENY = '{ deny: [GPL-*, AGPL-3.0-only] }';
const ALLOW = '{ allow: [MIT, Apache-2.0, BSD-*] }';

describe('a list of denied licenses', () => {
  it.each<[string, string | null, string | undefined]>([
    ['another license', 'MIT', OK],
    ['by its id', 'AGPL-3.0-only', NO],
    ['by its id in another case', 'agpl-3.0-ONLY', NO],
    ['not a longer id', 'AGPL-3.0-or-later', OK],
    ['by a pattern', 'GPL-3.0-only', NO],
    ['by a pattern in another case', 'gpl-3.0-only', NO],
    ['not by a part of the id', 'LGPL-2.1-only', OK],
    ['with an exception', 'GPL-2.0-only WITH Classpath-exception-2.0', NO],
    ['one of two to choose from', 'MIT OR GPL-2.0-only', OK],
    ['both of two to choose from', 'GPL-2.0-only OR GPL-3.0-only', NO],
    ['one of two that both apply', 'MIT AND GPL-2.0-only', NO],
    ['one of a choice within a choice', 'GPL-2.0-only OR (MIT AND AGPL-3.0-only)', NO],
    ['none of a choice within a choice', 'GPL-2.0-only OR (MIT AND ISC)', OK],
    ['parentheses first', '(GPL-2.0-only OR MIT) AND ISC', OK],
    ['AND binds closer than OR', 'MIT OR ISC AND GPL-2.0-only', OK],
    ['of its own', 'LicenseRef-Acme', OK],
    ['unknown', null, OK],
  ])('judges %s', (_, expression, status) => {
    expect(judge(DENY, [license(expression)]).status).toBe(status);
  });
});

describe('a list of allowed licenses', () => {
  it.each<[string, string | null, string | undefined]>([
    ['one of them', 'MIT', OK],
    ['one of them in another case', 'mit', OK],
    ['by a pattern', 'BSD-3-Clause', OK],
    ['another', 'ISC', NO],
    ['one of two to choose from', 'ISC OR MIT', OK],
    ['none of two to choose from', 'ISC OR GPL-2.0-only', NO],
    ['both of two that apply', 'MIT AND Apache-2.0', OK],
    ['one of two that both apply', 'MIT AND ISC', NO],
    ['with an exception', 'Apache-2.0 WITH LLVM-exception', OK],
    ['of its own', 'LicenseRef-Acme', NO],
    ['unknown', null, NO],
  ])('judges %s', (_, expression, status) => {
    expect(judge(ALLOW, [license(expression)]).status).toBe(status);
  });
});

it.each<[string, string, string | null, string | undefined]>([
  ['denied and allowed by a pattern', '{ allow: ["*"], deny: [GPL-*] }', 'GPL-2.0-only', NO],
  ['allowed by a pattern', '{ allow: ["*"], deny: [GPL-*] }', 'ISC', OK],
  [
    'allowed with an exception',
    '{ allow: [GPL-2.0-only WITH Classpath-exception-2.0], deny: [GPL-*], unknown: allow }',
    'GPL-2.0-only WITH Classpath-exception-2.0',
    NO,
  ],
  [
    'allowed only with an exception',
    '{ allow: [GPL-2.0-only WITH Classpath-exception-2.0] }',
    'GPL-2.0-only WITH Classpath-exception-2.0',
    OK,
  ],
  ['the same without the exception', '{ allow: [GPL-2.0-only WITH Classpath-exception-2.0] }', 'GPL-2.0-only', NO],
  [
    'the same with another exception',
    '{ allow: [GPL-2.0-only WITH Classpath-exception-2.0] }',
    'GPL-2.0-only WITH GCC-exception-2.0',
    NO,
  ],
  ['denied with an exception only', '{ deny: [GPL-2.0-only WITH GCC-exception-2.0] }', 'GPL-2.0-only', OK],
  ['unknown, with both lists', '{ allow: [MIT], deny: [GPL-*] }', null, NO],
  ['unknown, denied', '{ deny: [GPL-*], unknown: deny }', null, NO],
  ['unknown, allowed', '{ allow: [MIT], unknown: allow }', null, OK],
  ['of its own, allowed', '{ allow: [LicenseRef-Acme] }', 'LicenseRef-Acme', OK],
  ['of its own, denied by a pattern', '{ deny: [LicenseRef-*] }', 'LicenseRef-Acme', NO],
  ['an older version or later', '{ deny: [Apache-1.1] }', 'Apache-1.1+', OK],
])('both lists and more: %s', (_, rule, expression, status) => {
  expect(judge(rule, [license(expression)]).status).toBe(status);
});

describe('an SBOM', () => {
  it.each<[string, readonly LicenseEvidence[] | undefined, Partial<AttestationEvidence>, string | undefined]>([
    ['with one bad license of many', [license('MIT'), license('GPL-3.0-only'), license('ISC')], {}, NO],
    ['without components', [], {}, OK],
    ['without licenses', undefined, {}, NO],
    ['that was overridden as compliant', [license('GPL-3.0-only')], { isOverride: true, isCompliant: true }, OK],
    ['that was overridden as not compliant', [license('MIT')], { isOverride: true, isCompliant: false }, NO],
  ])('%s', (_, licenses, more, status) => {
    expect(judge(DENY, licenses, more).status).toBe(status);
  });

  it('that is refused is named with the first components of each license', () => {
    const [reason] = judge(DENY, [
      license('MIT', 'left-pad@1'),
      license('GPL-3.0-only', 'readline@8', 'bash@5', 'gdb@1', 'make@4'),
      license('AGPL-3.0-only', 'mongo@1'),
    ]).reasons;
    expect(reason?.message).toBe(
      "Policy 'production' requires a compliant attestation of type sbom, with no GPL-* and AGPL-3.0-only. In flow 'web', " +
        "trail 'release-7', 'bom' has 2 licenses that are not allowed: GPL-3.0-only (readline@8, bash@5 and 2 more) and " +
        'AGPL-3.0-only (mongo@1).',
    );
    expect(reason?.fix).toBe(
      "Replace readline@8, bash@5 and 2 more and the others, and report 'bom' again in trail 'release-7' of flow 'web', or " +
        "override 'bom' with a reason.",
    );
  });

  it('with an unknown license, or none, says so', () => {
    expect(judge(ALLOW, [license(null, 'x')]).reasons[0]?.message).toContain(
      "with no licenses but MIT, Apache-2.0 and BSD-*. In flow 'web', trail 'release-7', 'bom' has 1 license that is not " +
        'allowed: no known license (x).',
    );
    expect(judge(ALLOW, undefined).reasons).toMatchObject([
      {
        resolution: 'missing_attestation',
        message: expect.stringContaining("'bom' has no licenses that can be read."),
      },
    ]);
  });
});

it('the key of the evidence has the licenses in order', () => {
  const licenses = [license('MIT'), license(null, 'a', 'b')];
  const evidence = artifactIn(flow('web', { ...passed('bom', 'sbom'), licenses }));
  expect(evidenceKey(evidence)).toContain('"licenses":[{"components":["a@1"],"count":1,"expression":"MIT"},');
  expect(readEvidence(evidenceKey(evidence))).toEqual(evidence);
});

it.each<[string, string, string]>([
  ['no list', '{ unknown: deny }', '"licenses" must have "allow" or "deny", a list of licenses.'],
  ['an empty list', '{ deny: [] }', 'deny'],
  ['an unknown license', '{ deny: [MTI] }', '"MTI" is not the id of an SPDX license.'],
  ['a pattern that nothing matches', '{ deny: [GLP-*] }', 'No SPDX license matches "GLP-*".'],
  [
    'an id that does not say which versions',
    '{ deny: [GPL-3.0] }',
    '"GPL-3.0" does not say whether later versions apply: use "GPL-3.0-only", "GPL-3.0-or-later", or "GPL-3.0*".',
  ],
  ['another word', '{ deny: [MIT], unknown: maybe }', 'unknown'],
  ['another field', '{ deny: [MIT], alow: [ISC] }', 'alow'],
  ['too many', `{ deny: [${Array.from({ length: 201 }, () => 'MIT').join(', ')}] }`, 'A list may have at most 200'],
])('a rule is refused with %s', (_, rule, message) => {
  const text = `_schema: https://example.com/policy/v1\nartifacts:\n  attestations: [{ type: sbom, licenses: ${rule} }]\n`;
  const parsed = parsePolicy(text);
  if (!('problems' in parsed)) throw new Error('it was not refused');
  expect(parsed.problems[0]?.message).toContain(message);
});

it('another type has no licenses', () => {
  const text =
    '_schema: https://example.com/policy/v1\nartifacts:\n  attestations: [{ type: snyk, licenses: { deny: [MIT] } }]\n';
  expect(parsePolicy(text)).toMatchObject({
    problems: [{ message: '"licenses" is only allowed with type "sbom" or "*", not "snyk".' }],
  });
});
