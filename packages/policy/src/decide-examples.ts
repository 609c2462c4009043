import type { DecisionContext } from './decision-context.ts';
import type { Approver, ArtifactEvidence, AttestationEvidence, FlowEvidence, PullRequestEvidence } from './evidence.ts';
import { parsePolicy } from './parse-policy.ts';
import type { Policy } from './rule.ts';

export const FINGERPRINT = '4f2a'.repeat(16);
export const HEAD = 'c0ffee'.padEnd(40, '0');

export const IN_PRODUCTION: DecisionContext = {
  artifactName: 'registry.example.com/web:7',
  environment: { name: 'production', tags: { tier: '1' } },
};

/** A policy by what stands under `artifacts`. */
export function policyOf(artifacts: string): Policy {
  const body = artifacts
    .trim()
    .split('\n')
    .map((line) => `  ${line.trim()}`);
  const parsed = parsePolicy(['_schema: https://example.com/policy/v1', 'artifacts:', ...body].join('\n'));
  if ('problems' in parsed) throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
  return parsed.policy;
}

/** A policy with one rule on attestations. */
export function asking(rule: string): Policy {
  return policyOf(`attestations: [${rule}]`);
}

export function artifactIn(...flows: readonly FlowEvidence[]): ArtifactEvidence {
  return { fingerprint: FINGERPRINT, flows };
}

export function flow(name: string, ...attestations: readonly AttestationEvidence[]): FlowEvidence {
  return {
    flow: { id: `flow-${name}`, name, tags: {} },
    trail: { id: `trail-${name}`, name: 'release-7' },
    artifactId: `artifact-${name}`,
    status: 'COMPLIANT',
    because: 'Everything that is required is present and compliant.',
    fix: null,
    attestations,
  };
}

export function tagged(tags: Readonly<Record<string, string>>, it: FlowEvidence): FlowEvidence {
  return { ...it, flow: { ...it.flow, tags } };
}

export function incomplete(it: FlowEvidence): FlowEvidence {
  return {
    ...it,
    status: 'INCOMPLETE',
    because: "Artifact 'web' lacks 'sbom': no attestation of that name has been reported.",
    fix: "Report an attestation named 'sbom' of type sbom on artifact 'web'.",
  };
}

export function broken(it: FlowEvidence): FlowEvidence {
  return {
    ...it,
    status: 'NON-COMPLIANT',
    because: "'unit-tests' was reported as junit and is not compliant: 3 of 200 tests failed.",
    fix: "Run and fix the tests and report 'unit-tests' again.",
  };
}

export function passed(name: string, type: string, more: Partial<AttestationEvidence> = {}): AttestationEvidence {
  return {
    id: `${name}-of-${type}`,
    name,
    type,
    isCompliant: true,
    at: 1_700_000_000,
    isOverride: false,
    reasons: [],
    trust: 'api_key',
    control: null,
    pullRequests: null,
    ...more,
  };
}

export function failed(name: string, type: string, more: Partial<AttestationEvidence> = {}): AttestationEvidence {
  return passed(name, type, { isCompliant: false, reasons: ['3 of 200 tests failed'], ...more });
}

export function decision(control: string, isCompliant = true): AttestationEvidence {
  return passed('release', 'decision', { id: `release-${control}`, control, isCompliant });
}

/** An attestation of one pull request by Ada, who committed to it together with Eve. */
export function reviewed(...approvers: readonly Approver[]): AttestationEvidence {
  return pullRequests(pullRequest({ approvers }));
}

export function pullRequests(...pullRequests: readonly PullRequestEvidence[]): AttestationEvidence {
  return passed('review', 'pull_request', { pullRequests });
}

export function pullRequest(more: Partial<PullRequestEvidence> = {}): PullRequestEvidence {
  return {
    url: 'https://code.example.com/pull/7',
    author: 'ada',
    headCommit: HEAD,
    commitAuthors: ['ada', 'Eve <eve@example.com>'],
    approvers: [],
    ...more,
  };
}

export function by(user: string, more: Partial<Approver> = {}): Approver {
  return { user, commit: HEAD, state: 'APPROVED', ...more };
}
