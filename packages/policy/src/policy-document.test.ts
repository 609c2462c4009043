import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { PolicyDocument, policyJsonSchema } from './policy-document.ts';

const V1 = 'https://compliance.example.com/schemas/policy/v1';
const ID = 'https://waymark.example.com/schemas/environment-policy/v1';
const accepts = new Ajv2020().compile(policyJsonSchema(ID));

const FULL = {
  _schema: V1,
  artifacts: {
    provenance: { required: true, exceptions: [{ if: '${{ matches(artifact.name, "^vendor/.*") }}' }] },
    'trail-compliance': { required: true },
    attestations: [
      { name: 'unit-tests', type: 'junit' },
      { type: 'pull_request', if: '${{ flow.tags.risk == "high" }}', min_approvals: 2 },
      { type: 'decision', for_control: 'SDLC-7', min_trust: 'workload_identity' },
      { name: 'load-test', type: '*', must_be_compliant: false },
      { type: 'custom:load-test' },
    ],
  },
};

it('reads a whole policy', () => {
  const { artifacts } = PolicyDocument.parse(FULL);

  expect(artifacts['trail-compliance']).toEqual({ required: true, exceptions: [] });
  expect(artifacts.attestations[0]).toEqual({ name: 'unit-tests', type: 'junit', must_be_compliant: true });
  expect(artifacts.attestations[2]).toMatchObject({ name: '*', for_control: 'SDLC-7' });
  expect(accepts(FULL)).toBe(true);
});

it('asks for nothing that the policy leaves out', () => {
  expect(PolicyDocument.parse({ _schema: V1 })).toEqual({
    _schema: V1,
    artifacts: {
      provenance: { required: false, exceptions: [] },
      'trail-compliance': { required: false, exceptions: [] },
      attestations: [],
    },
  });
});

const wrong: { it: string; policy: unknown; path: string; message: string }[] = [
  {
    it: 'another version of the format',
    policy: { _schema: 'https://example.com/policy/v2' },
    path: '_schema',
    message: '"_schema" must be a URL whose last part is "v1", the version of this format.',
  },
  {
    it: 'an unknown key',
    policy: { _schema: V1, artifacts: { provenence: {} } },
    path: 'artifacts',
    message: 'Unrecognized key: "provenence"',
  },
  {
    it: 'an unknown type',
    policy: withRule({ type: 'lint' }),
    path: 'artifacts.attestations.0.type',
    message:
      '"type" must be one of generic, junit, snyk, sonar, jira, pull_request, decision, sbom, in_toto, vex, * or custom:<name>, not the text "lint".',
  },
  {
    it: 'any name with any type',
    policy: withRule({ type: '*' }),
    path: 'artifacts.attestations.0.type',
    message: 'Give the rule a name or a type; both cannot be "*".',
  },
  {
    it: 'approvals of something other than a pull request',
    policy: withRule({ type: 'jira', min_approvals: 1 }),
    path: 'artifacts.attestations.0.min_approvals',
    message: '"min_approvals" is only allowed with type "pull_request", not "jira".',
  },
  {
    it: 'an expression without its brackets',
    policy: withRule({ type: 'junit', if: 'flow.name == "a"' }),
    path: 'artifacts.attestations.0.if',
    message: 'An expression is written as "${{ … }}", with something inside.',
  },
  {
    it: 'an expression with nothing inside',
    policy: withRule({ type: 'junit', if: '${{ }}' }),
    path: 'artifacts.attestations.0.if',
    message: 'An expression is written as "${{ … }}", with something inside.',
  },
];

describe('a policy may not have', () => {
  it.each(wrong)('$it', ({ policy, path, message }) => {
    const issues = PolicyDocument.safeParse(policy).error?.issues ?? [];

    expect(issues.map((issue) => [issue.path.join('.'), issue.message])).toEqual([[path, message]]);
    expect(accepts(policy)).toBe(false);
  });
});

function withRule(rule: unknown): unknown {
  return { _schema: V1, artifacts: { attestations: [rule] } };
}
