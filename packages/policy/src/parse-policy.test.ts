import { describe, expect, it } from 'vitest';
import { NO_PROVENANCE, WEB_IN_PROD } from './expression/given-scope.ts';
import { POLICY_MAX_BYTES, parsePolicy } from './parse-policy.ts';
import type { Policy } from './rule.ts';

const V1 = '_schema: https://compliance.example.com/schemas/policy/v1';
const RULE_KEYS =
  'name, type, if, must_be_compliant, for_control, min_approvals, min_trust, max_age, findings, licenses, predicate_type, signed_by, builder, source, materials, verifier, verification_result, issue_status, decided_by, min_deciders, not_by';
const TYPES = 'generic, junit, snyk, sonar, jira, pull_request, decision, sbom, in_toto, vex, * or custom:<name>';
const NAMES =
  'flow.name, artifact.name, artifact.fingerprint, environment.name, flow.tags.<key>, environment.tags.<key>';
const QUOTE_IT = `Quote the expression, as in if: '\${{ flow.name == "web" }}'.`;
const QUOTES_CLASH = `The quotes do not match; quote the expression with ' and texts in it with ", as in if: '\${{ flow.name == "web" }}'.`;

const FULL = `
${V1}
artifacts:
  provenance:
    required: true
    exceptions:
      - if: '\${{ matches(artifact.name, "^vendor/.*") }}'
  trail-compliance: { required: true }
  attestations:
    - { name: unit-tests, type: junit }
    - type: pull_request
      if: '\${{ flow.tags.risk == "high" and environment.name != "dev" }}'
      min_approvals: 2
    - { type: decision, for_control: SDLC-7, min_trust: workload_identity }
    - { name: load, type: '*', must_be_compliant: false, if: "\${{ environment.tags.region in ['eu', 'us'] }}" }
`;

describe('a whole policy', () => {
  const policy = policyOf(FULL);

  it('has its rules in the order of sections and lists', () => {
    expect(policy.rules.map((rule) => (rule.kind === 'attestation' ? [rule.name, rule.type] : rule.kind))).toEqual([
      'provenance',
      'trail-compliance',
      ['unit-tests', 'junit'],
      ['*', 'pull_request'],
      ['*', 'decision'],
      ['load', '*'],
    ]);
    expect(policy.rules.slice(2)).toMatchObject([
      { if: null, mustBeCompliant: true, forControl: null, minApprovals: null, minTrust: null },
      { if: { text: '${{ flow.tags.risk == "high" and environment.name != "dev" }}' }, minApprovals: 2 },
      { forControl: 'SDLC-7', minTrust: 'workload_identity' },
      { mustBeCompliant: false },
    ]);
  });

  it('defines its rules as clients know them', () => {
    expect(policy.rules.map((rule) => rule.definition)).toEqual([
      {
        type: 'provenance',
        definition: { required: true, exceptions: [{ if: { text: '${{ matches(artifact.name, "^vendor/.*") }}' } }] },
      },
      { type: 'trail-compliance', definition: { required: true, exceptions: [] } },
      { type: 'attestation', definition: { if: null, name: 'unit-tests', type: 'junit', must_be_compliant: true } },
      {
        type: 'attestation',
        definition: {
          if: { text: '${{ flow.tags.risk == "high" and environment.name != "dev" }}' },
          name: '*',
          type: 'pull_request',
          must_be_compliant: true,
          min_approvals: 2,
        },
      },
      {
        type: 'attestation',
        definition: {
          if: null,
          name: '*',
          type: 'decision',
          must_be_compliant: true,
          for_control: 'SDLC-7',
          min_trust: 'workload_identity',
        },
      },
      {
        type: 'attestation',
        definition: {
          if: { text: "${{ environment.tags.region in ['eu', 'us'] }}" },
          name: 'load',
          type: '*',
          must_be_compliant: false,
        },
      },
    ]);
  });

  it('says what its expressions read', () => {
    expect(policy.reads).toEqual({
      flowName: false,
      flowTags: ['risk'],
      artifactName: true,
      fingerprint: false,
      environmentName: true,
      environmentTags: ['region'],
    });
  });

  it('says where it names a control', () => {
    const path = 'artifacts.attestations.2.for_control';
    expect(policy.controls).toEqual([{ identifier: 'SDLC-7', line: 14, column: 38, path }]);
  });

  it('can be asked whether a condition holds', () => {
    const [provenance, , , pullRequest] = policy.rules;
    const exception = provenance?.kind === 'provenance' ? provenance.exceptions[0] : undefined;
    const condition = pullRequest?.kind === 'attestation' ? pullRequest.if : undefined;

    expect(exception?.holds(WEB_IN_PROD)).toBe(false);
    expect(condition?.holds(WEB_IN_PROD)).toBe(true);
    expect(condition?.holds(NO_PROVENANCE)).toBe(false);
  });

  it('reads the same from the same text', () => {
    expect(JSON.stringify(parsePolicy(FULL))).toBe(JSON.stringify(parsePolicy(FULL)));
  });
});

const reads: [expression: string, reads: Partial<Policy['reads']>][] = [
  ['1 == 1', {}],
  ['exists(flow)', {}],
  ['exists(environment)', { environmentName: true }],
  ['flow.name == "a" or artifact.fingerprint == "b"', { flowName: true, fingerprint: true }],
  [
    'flow.tags.b == "1" and not exists(flow.tags.a) and flow.tags.b in [flow.tags.c.d]',
    { flowTags: ['a', 'b', 'c.d'] },
  ],
  ['matches(environment.tags.region, "eu")', { environmentTags: ['region'] }],
];

describe('what is read by', () => {
  it.each(reads)('%s', (expression, some) => {
    const none = { flowName: false, flowTags: [], artifactName: false, fingerprint: false };
    const policy = policyOf(withRule(`{ type: junit, if: '\${{ ${expression} }}' }`));
    expect(policy.reads).toEqual({ ...none, environmentName: false, environmentTags: [], ...some });
  });
});

const noRules: [it: string, text: string][] = [
  ['only a schema', V1],
  ['no requirement', `${V1}\nartifacts: {}`],
  ['requirements that are switched off', `${V1}\nartifacts: { provenance: { required: false } }`],
  ['exceptions from what is not required', withException('${{ exists(flow) }}', false)],
  ['an empty list of evidence', `${V1}\nartifacts: { attestations: [] }`],
];

it.each(noRules)('a policy with %s has no rules', (_, text) => {
  expect(policyOf(text).rules).toEqual([]);
});

const wrong: { it: string; lines: string[]; problems: string[] }[] = [
  {
    it: 'no text',
    lines: [''],
    problems: [
      '1:1 <root> The policy is empty; the shortest that is allowed is "_schema: https://example.com/policy/v1".',
    ],
  },
  { it: 'a list on top', lines: ['- a'], problems: ['1:1 <root> The policy must be a mapping, not a list.'] },
  {
    it: 'no schema',
    lines: ['artifacts: {}'],
    problems: ['1:1 _schema "_schema" is missing; add a line such as _schema: https://example.com/policy/v1.'],
  },
  {
    it: 'another version',
    lines: ['_schema: https://example.com/policy/v2'],
    problems: ['1:10 _schema "_schema" must be a URL whose last part is "v1", the version of this format.'],
  },
  {
    it: 'a section that is misspelt',
    lines: [V1, 'artifacts:', '  provenence: { required: true }'],
    problems: [
      '3:3 artifacts.provenence Unknown key "provenence"; the keys allowed here are provenance, trail-compliance, attestations. Did you mean "provenance"?',
    ],
  },
  {
    it: 'a section with an underscore',
    lines: [V1, 'artifacts:', '  trail_compliance: { required: true }'],
    problems: [
      '3:3 artifacts.trail_compliance Unknown key "trail_compliance"; the keys allowed here are provenance, trail-compliance, attestations. Did you mean "trail-compliance"?',
    ],
  },
  {
    it: 'a section left empty',
    lines: [V1, 'artifacts:', '  provenance:'],
    problems: ['3:3 artifacts.provenance "provenance" must be a mapping, not an empty value.'],
  },
  {
    it: 'a requirement in words',
    lines: [V1, 'artifacts:', '  provenance: { required: yes }'],
    problems: ['3:27 artifacts.provenance.required "required" must be true or false, not the text "yes".'],
  },
  {
    it: 'an exception without a condition',
    lines: [V1, 'artifacts:', '  provenance: { required: true, exceptions: [{}] }'],
    problems: ['3:46 artifacts.provenance.exceptions.0.if "if" is missing.'],
  },
  {
    it: 'a rule that is only a word',
    lines: [V1, 'artifacts:', '  attestations:', '    - junit'],
    problems: ['4:7 artifacts.attestations.0 Entry 1 of "attestations" must be a mapping, not the text "junit".'],
  },
  {
    it: 'an unknown type',
    lines: [V1, 'artifacts:', '  attestations:', '    - type: pull-request'],
    problems: [
      `4:13 artifacts.attestations.0.type "type" must be one of ${TYPES}, not the text "pull-request". Did you mean "pull_request"?`,
    ],
  },
  {
    it: 'a rule for everything',
    lines: [V1, 'artifacts:', '  attestations:', "    - type: '*'"],
    problems: ['4:13 artifacts.attestations.0.type Give the rule a name or a type; both cannot be "*".'],
  },
  {
    it: 'all mistakes of one rule at once, misfits included',
    lines: [
      V1,
      'artifacts:',
      '  attestations:',
      '    - type: junit',
      '      name: unit tests',
      '      for_control: SDLC-7',
      '      min_approvals: 0',
      '      min_trust: signatur',
      '      if: ${{ flow.nme == "web" }}',
      '      must_be_compilant: true',
    ],
    problems: [
      '5:13 artifacts.attestations.0.name "unit tests" is not a valid evidence name; use letters, digits, "-", "_", and ",", or "*" for any.',
      '7:22 artifacts.attestations.0.min_approvals "min_approvals" must be at least 1.',
      '7:22 artifacts.attestations.0.min_approvals "min_approvals" is only allowed with type "pull_request", not "junit".',
      '8:18 artifacts.attestations.0.min_trust "min_trust" must be claimed, api_key, workload_identity or signature, not the text "signatur". Did you mean "signature"?',
      `9:15 artifacts.attestations.0.if Unknown name "flow.nme"; there are ${NAMES}. Did you mean "flow.name"?`,
      `10:7 artifacts.attestations.0.must_be_compilant Unknown key "must_be_compilant"; the keys allowed here are ${RULE_KEYS}. Did you mean "must_be_compliant"?`,
    ],
  },
  {
    it: 'half an approval, and one in words',
    lines: [
      V1,
      'artifacts:',
      '  attestations:',
      '    - { type: pull_request, min_approvals: 1.5 }',
      '    - { type: pull_request, min_approvals: two }',
    ],
    problems: [
      '4:44 artifacts.attestations.0.min_approvals "min_approvals" must be a whole number, not the number 1.5.',
      '5:44 artifacts.attestations.1.min_approvals "min_approvals" must be a number, not the text "two".',
    ],
  },
  {
    it: 'a control that cannot be one',
    lines: [V1, 'artifacts:', '  attestations:', '    - { type: decision, for_control: SDLC 7 }'],
    problems: ['4:38 artifacts.attestations.0.for_control "for_control" must be the identifier of a control.'],
  },
  {
    it: 'an identifier that is too long',
    lines: [V1, 'artifacts:', '  attestations:', `    - { type: decision, for_control: ${'x'.repeat(257)} }`],
    problems: ['4:38 artifacts.attestations.0.for_control "for_control" must be at most 256 characters long.'],
  },
];

const expressions: { it: string; lines: string[]; problems: string[] }[] = [
  {
    it: 'an expression without brackets',
    lines: ['if: flow.name == "web"'],
    problems: ['1:5 An expression is written as "${{ … }}", with something inside.'],
  },
  {
    it: 'an expression that is a YAML value',
    lines: ['if: true'],
    problems: [`1:5 An expression is text in quotes, such as '\${{ flow.name == "web" }}', not the boolean true.`],
  },
  {
    it: 'an expression that is too long',
    lines: [`if: \${{ 1 == 1${' '.repeat(4096)}}}`],
    problems: ['1:5 An expression may be at most 4096 characters long.'],
  },
  { it: 'a colon in an expression without quotes', lines: ['if: ${{ a: b }}'], problems: [`1:5 ${QUOTE_IT}`] },
  {
    it: 'a colon in a text of an expression without quotes',
    lines: ['if: ${{ matches(artifact.name, "web: 1") }}'],
    problems: [`1:5 ${QUOTE_IT}`],
  },
  { it: 'only the braces', lines: ['if: {{ exists(flow) }}'], problems: [`1:6 ${QUOTE_IT}`] },
  {
    it: 'a comment sign in an expression without quotes',
    lines: ['if: ${{ flow.name == "a #1" }}'],
    problems: [
      `1:5 The expression has no "}}" at its end; put all of it in quotes, as in '\${{ flow.name == "web" }}'.`,
    ],
  },
  {
    it: 'the same quotes inside and outside',
    lines: ['if: "${{ flow.name == "web" }}"'],
    problems: [`1:24 ${QUOTES_CLASH}`],
  },
  {
    it: 'the same single quotes inside and outside',
    lines: ["if: '${{ flow.name == 'web' }}'"],
    problems: [`1:24 ${QUOTES_CLASH}`],
  },
  {
    it: 'a backslash in double quotes',
    lines: [String.raw`if: "${'${{'} matches(flow.name, '\d') }}"`],
    problems: [`1:30 ${QUOTES_CLASH}`],
  },
  {
    it: 'a mistake in a plain scalar',
    lines: ['if: ${{ flow.nme == "web" }}'],
    problems: ['1:9 Unknown name "flow.nme"'],
  },
  {
    it: 'a mistake in single quotes, after a quote that is doubled',
    lines: ["if: '${{ flow.name == ''web'' or nme }}'"],
    problems: ['1:34 Unknown name "nme"'],
  },
  {
    it: 'a mistake in double quotes, after quotes that are escaped',
    lines: [String.raw`if: "${'${{'} flow.name == \"web\" or nme }}"`],
    problems: ['1:34 Unknown name "nme"'],
  },
  {
    it: 'a mistake on a later line of a folded text',
    lines: ['if: >-', '  ${{ exists(flow)', '', '      and', '  flow.nme == "web" }}'],
    problems: ['5:3 Unknown name "flow.nme"'],
  },
  {
    it: 'a mistake on a later line of a literal text',
    lines: ['if: |', '  ${{', '    flow.name == "web" and nme', '  }}'],
    problems: ['3:28 Unknown name "nme"'],
  },
  {
    it: 'a mistake on a later line in quotes',
    lines: ["if: '${{ exists(flow)", "  and nme }}'"],
    problems: ['2:7 Unknown name "nme"'],
  },
  {
    it: 'a mistake on a later line without quotes',
    lines: ['if: ${{ exists(flow)', '  and nme }}'],
    problems: ['2:7 Unknown name "nme"'],
  },
  {
    it: 'several mistakes in one expression',
    lines: ['if: ${{ nme == "a" or matches(flow.name, "(") }}'],
    problems: ['1:9 Unknown name "nme"', '1:42 The pattern cannot be used: in "(" something is not closed.'],
  },
];

const noYaml: { it: string; lines: string[]; problems: string[] }[] = [
  {
    it: 'an anchor and an alias',
    lines: [V1, 'artifacts: &all', '  attestations: [*all]'],
    problems: ['2:12 artifacts YAML anchors (&)', '3:18 artifacts.attestations.0 YAML anchors (&)'],
  },
  {
    it: 'a second document',
    lines: [V1, '---', V1],
    problems: ['2:1 <root> A second YAML document starts here; only one is allowed.'],
  },
  {
    it: 'a key twice',
    lines: [V1, 'artifacts: {}', 'artifacts: {}'],
    problems: ['3:1 artifacts The key "artifacts" occurs twice; keep one.'],
  },
  {
    it: 'a rule of its own for every object',
    lines: [V1, '__proto__: { artifacts: {} }', 'constructor: 1'],
    problems: ['2:1 __proto__ Unknown key "__proto__"', '3:1 constructor Unknown key "constructor"'],
  },
  { it: 'a tab', lines: [V1, 'artifacts:', '\tprovenance: {}'], problems: ['3:1 <root> A tab cannot indent YAML'] },
  {
    it: 'a mistake beside an expression that is right',
    lines: [V1, "artifacts: { if: '${{ exists(flow) }}', name: a: b }"],
    problems: ['2:47 <root> '],
  },
  { it: 'a tag', lines: [V1, 'artifacts: !x {}'], problems: ['2:12 <root> Unknown YAML tag "!x"'] },
];

describe('a policy may not have', () => {
  it.each(wrong)('$it', ({ lines, problems }) => {
    expect(problemsIn(lines.join('\n'))).toEqual(problems);
  });

  it.each(noYaml)('$it', ({ lines, problems }) => {
    expect(problemsIn(lines.join('\n'))).toEqual(problems.map((start) => expect.stringContaining(start)));
  });

  it.each(expressions)('$it', ({ lines, problems }) => {
    const rule = ['type: junit', ...lines].map((line) => `      ${line}`).join('\n');
    const found = problemsIn(`${V1}\nartifacts:\n  attestations:\n    -\n${rule}`);
    expect(found.map((problem) => movedBack(problem, 5, 6))).toEqual(
      problems.map((start) => expect.stringContaining(start)),
    );
  });

  it('more bytes than the limit', () => {
    const fits = `${V1} #`.padEnd(POLICY_MAX_BYTES, 'x');
    expect(problemsIn(fits)).toEqual([]);
    expect(problemsIn(`${fits}x`)).toEqual(['1:1 <root> The policy is too large; at most 65536 bytes are allowed.']);
  });
});

/** As if the lines of the example were all of the text, and the path did not matter. */
function movedBack(problem: string, lines: number, columns: number): string {
  return problem.replace(/^(\d+):(\d+) \S+/, (_, line, column) => `${line - lines}:${column - columns}`);
}

function policyOf(text: string): Policy {
  const parsed = parsePolicy(text);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

function problemsIn(text: string): string[] {
  const parsed = parsePolicy(text);
  if (!('problems' in parsed)) return [];
  return parsed.problems.map(({ path, line, column, message }) => `${line}:${column} ${path || '<root>'} ${message}`);
}

function withRule(rule: string): string {
  return `${V1}\nartifacts: { attestations: [${rule}] }`;
}

function withException(condition: string, required: boolean): string {
  return `${V1}\nartifacts: { provenance: { required: ${required}, exceptions: [{ if: '${condition}' }] } }`;
}
