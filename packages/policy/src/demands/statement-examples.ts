import { decide } from '../decide.ts';
import { artifactIn, asking, flow, IN_PRODUCTION, passed } from '../decide-examples.ts';
import type { AttestationEvidence, FlowEvidence, StatementEvidence } from '../evidence.ts';
import { parsePolicy } from '../parse-policy.ts';

export const COMMIT = 'c0ffee'.padEnd(40, '0');
export const GITHUB = 'https://token.actions.githubusercontent.com';
export const WORKFLOW = 'https://github.com/acme/web/.github/workflows/release.yml@refs/tags/v7';
export const SLSA = 'https://slsa.dev/provenance/v1';
export const VSA = 'https://slsa.dev/verification_summary/v1';

/** A verified provenance of the release workflow. */
export function provenance(more: Partial<StatementEvidence> = {}): StatementEvidence {
  return {
    predicateType: SLSA,
    isVerified: true,
    signers: [{ kind: 'identity', identity: WORKFLOW, issuer: GITHUB }],
    builder: 'https://github.com/actions/runner/github-hosted',
    buildType: 'https://actions.github.io/buildtypes/workflow/v1',
    source: { repository: 'https://github.com/acme/web', ref: 'refs/tags/v7', commit: COMMIT },
    ...more,
  };
}

/** A verified summary that says PASSED. */
export function summary(more: Partial<StatementEvidence> = {}): StatementEvidence {
  return {
    predicateType: VSA,
    isVerified: true,
    signers: [{ kind: 'key', id: 'key-1', name: 'verifier' }],
    result: 'PASSED',
    verifier: 'https://verify.example.com/slsa',
    ...more,
  };
}

export function unverified(more: Partial<StatementEvidence> = {}): StatementEvidence {
  return { predicateType: SLSA, isVerified: false, signers: [], ...more };
}

export function signed(statements: readonly StatementEvidence[], more: Partial<AttestationEvidence> = {}) {
  return passed('build', 'in_toto', { trust: 'signature', statements, ...more });
}

/** The verdict of a rule of type in_toto: null, or what was found instead, and whether it fails. */
export function judge(fields: string, attestation: AttestationEvidence, more: Partial<FlowEvidence> = {}) {
  const policy = asking(`{ type: in_toto, ${fields} }`);
  const evidence = artifactIn({ ...flow('web', attestation), commit: COMMIT, ...more });
  const { status, reasons } = decide(policy, { name: 'production', version: 1 }, evidence, IN_PRODUCTION);
  const [reason] = reasons;
  if (reason === undefined) {
    if (status !== 'COMPLIANT') throw new Error('a verdict has no reason');
    return null;
  }
  const found = reason.message.split("In flow 'web', trail 'release-7', ")[1] ?? reason.message;
  return { fails: reason.resolution === 'non_compliant_attestation', found, fix: reason.fix };
}

/** The problem with a rule, or null. */
export function problemOf(fields: string, type = 'in_toto') {
  const parsed = parsePolicy(
    `_schema: https://example.com/policy/v1\nartifacts:\n  attestations:\n    - { type: ${type}, ${fields} }`,
  );
  return 'problems' in parsed ? (parsed.problems[0] ?? null) : null;
}
