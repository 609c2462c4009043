import type { ArtifactEvidence, AttestationEvidence, FlowEvidence } from '../../../packages/policy/src/index.ts';
import { KINDS } from './asked.ts';

const FEWEST_ATTESTATIONS = 6;
/** The number of artifacts in a hundred with a failure: about one verdict in twenty fails then. */
const PERCENT_FAILING = 9;

/** Made anew each time, so that work done once per artifact is measured, too. */
export function artifactsOf(count: number): ArtifactEvidence[] {
  return Array.from({ length: count }, (_, number) => ({
    fingerprint: number.toString(16).padStart(64, '0'),
    flows: Array.from({ length: 1 + (number % 3) }, (_, place) => flowOf(number, place)),
  }));
}

function flowOf(number: number, place: number): FlowEvidence {
  const fails = place === 0 && number % 100 < PERCENT_FAILING;
  const attestations = Array.from({ length: FEWEST_ATTESTATIONS + (number % 5) }, (_, index) =>
    attestationOf(number, place, index, fails && index === number % FEWEST_ATTESTATIONS),
  );
  return {
    flow: {
      id: `flow-${place}-${number % 50}`,
      name: `service-${number % 50}-${place}`,
      tags: { risk: number % 2 === 0 ? 'high' : 'low', team: `team-${number % 7}`, region: 'eu' },
    },
    trail: { id: `trail-${number}-${place}`, name: `release-${number}` },
    artifactId: `artifact-${number}-${place}`,
    status: fails ? 'NON-COMPLIANT' : 'COMPLIANT',
    because: fails
      ? 'Something that was reported is not compliant.'
      : 'Everything that is required is present and compliant.',
    fix: fails ? 'Fix what is not compliant.' : null,
    attestations,
  };
}

function attestationOf(number: number, place: number, index: number, fails: boolean): AttestationEvidence {
  const { name, type } = KINDS[index] ?? KINDS[0];
  return {
    id: `attestation-${number}-${place}-${index}`,
    name,
    type,
    isCompliant: !fails,
    at: 1_700_000_000 + number,
    isOverride: false,
    reasons: fails ? ['3 of 200 failed.'] : [],
    trust: 'api_key',
    control: type === 'decision' ? 'SDLC-7' : null,
    pullRequests: type === 'pull_request' ? [pullRequestOf(number)] : null,
  };
}

function pullRequestOf(number: number) {
  const headCommit = number.toString(16).padStart(40, '0');
  return {
    url: `https://code.example.com/pull/${number}`,
    author: 'ada',
    headCommit,
    commitAuthors: ['Ada <ada@example.com>', 'Eve <eve@example.com>'],
    approvers: [
      { user: 'Bob', commit: headCommit, state: 'APPROVED' },
      { user: 'carol', commit: headCommit, state: 'APPROVED' },
    ],
  };
}
