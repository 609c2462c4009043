import {
  type Artifact,
  type Attestation,
  assertArtifact,
  explainTrail,
  getArtifact,
  getTrail,
  listAttestations,
  type Trail,
} from '@waymark/contract';
import { useMemo } from 'react';
import { useRead } from '../lib/queries.ts';
import { useReads } from '../lib/use-reads.ts';
import { type Chain, chainOf } from './evidence-chain.ts';
import { demandsOf } from './evidence-chain-demands.ts';

/** Limits the requests for a picture: nodes beyond it show only what the trail itself has about them. */
const ARTIFACTS_READ = 10;
const ATTESTATIONS_READ = 40;
const ENVIRONMENTS_READ = 8;

interface About {
  readonly org: string;
  readonly flow: string;
  readonly trail: string;
  readonly fingerprint?: string | undefined;
}

export interface ReadChain extends Chain {
  /** Whether everything was read. If not, what seems missing may only be unread. */
  readonly isWhole: boolean;
  /** Nodes may still appear, and move others. */
  readonly isGrowing: boolean;
  /** Messages about what was left out or could not be read. */
  readonly leftOut: readonly string[];
}

export interface ChainRead {
  readonly data: ReadChain | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

export function useChain({ org, flow, trail, fingerprint }: About): ChainRead {
  const params = { org, flow_name: flow, trail_name: trail };
  const read = useRead(getTrail, { params }, { fresh: true });
  const explanation = useRead(explainTrail, { params }, { fresh: true });
  const all = fingerprint === undefined ? fingerprintsOf(read.data) : [fingerprint];
  const artifacts = useReads(
    getArtifact,
    all
      .slice(0, ARTIFACTS_READ)
      .map((one) => ({ params: { org, flow_name: flow, fingerprint: one }, query: { trail } })),
  );
  const attestations = useReads(
    listAttestations,
    attestationsOf(read.data, fingerprint).map((id) => ({ params: { org }, query: { attestation_id: id } })),
  );
  const known = artifacts.answers.filter((one) => one !== undefined);
  const places = placesOf(known);
  const assertions = useReads(
    assertArtifact,
    places.slice(0, ENVIRONMENTS_READ).map(([one, environment]) => ({
      params: { org, fingerprint: one },
      query: { environment_name: environment },
    })),
  );
  const chain = useMemo(
    () =>
      read.data &&
      explanation.data !== undefined &&
      chainOf({
        trail: read.data,
        explanation: explanation.data,
        artifacts: artifacts.answers.filter((one) => one !== undefined),
        attestations: byId(attestations.answers.flatMap((page) => page?.data ?? [])),
        demands: assertions.answers.flatMap((assertion) => (assertion ? demandsOf(assertion) : [])),
        fingerprint,
      }),
    [read.data, explanation.data, artifacts, attestations, assertions, fingerprint],
  );
  const leftOut = leftOutOf({
    artifacts: all.length,
    places: places.length,
    error: artifacts.error ?? assertions.error,
  });
  const isWhole = !artifacts.isPending && !assertions.isPending && leftOut.length === 0;
  const isGrowing = artifacts.isPending || attestations.isPending || assertions.isPending;
  return {
    data: chain ? { ...chain, isWhole, isGrowing, leftOut } : undefined,
    error: read.error ?? explanation.error,
    refetch: () => Promise.all([read.refetch(), explanation.refetch()]),
  };
}

function leftOutOf({
  artifacts,
  places,
  error,
}: {
  readonly artifacts: number;
  readonly places: number;
  readonly error: Error | null;
}): readonly string[] {
  return [
    ...(artifacts > ARTIFACTS_READ
      ? [`Environments are shown for the first ${ARTIFACTS_READ} of ${artifacts} artifacts.`]
      : []),
    ...(places > ENVIRONMENTS_READ
      ? [
          `Evidence missing for policies is shown for the first ${ENVIRONMENTS_READ} of ${places} places where something runs.`,
        ]
      : []),
    ...(error ? [`Couldn’t load all environments and the evidence missing there: ${error.message}`] : []),
  ];
}

function fingerprintsOf(trail: Trail | undefined): readonly string[] {
  return Object.values(trail?.compliance_status.artifacts_statuses ?? {}).flatMap(
    ({ artifact_fingerprint }) => artifact_fingerprint ?? [],
  );
}

/** Failing ones first, so that the limit leaves out passing ones. */
function attestationsOf(trail: Trail | undefined, fingerprint: string | undefined): readonly string[] {
  if (!trail) return [];
  const { attestations_statuses, artifacts_statuses } = trail.compliance_status;
  const artifacts = Object.values(artifacts_statuses).filter(
    ({ artifact_fingerprint }) => fingerprint === undefined || artifact_fingerprint === fingerprint,
  );
  const slots = [...attestations_statuses, ...artifacts.flatMap((artifact) => artifact.attestations_statuses)];
  const ids = [...slots]
    .sort((one, other) => Number(one.is_compliant) - Number(other.is_compliant))
    .flatMap(({ attestation_id }) => attestation_id ?? []);
  const pending = fingerprint === undefined ? trail.pending.map(({ attestation_id }) => attestation_id) : [];
  return [...new Set([...ids, ...pending])].slice(0, ATTESTATIONS_READ);
}

function placesOf(artifacts: readonly Artifact[]): readonly (readonly [string, string])[] {
  return artifacts.flatMap(({ fingerprint, running }) =>
    running.map(({ environment_name }) => [fingerprint, environment_name] as const),
  );
}

function byId(attestations: readonly Attestation[]): ReadonlyMap<string, Attestation> {
  return new Map(attestations.map((attestation) => [attestation.attestation_id, attestation]));
}
