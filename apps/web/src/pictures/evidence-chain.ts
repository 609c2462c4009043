import type { Artifact, Attestation, Explanation, Trail } from '@waymark/contract';
import { commitSeal, type Seal, sealOf } from '../pages/attestations/seal.ts';
import { summaryOf, typeWords } from '../pages/attestations/summary.ts';
import type { State } from '../ui/StateBadge.tsx';
import type { Demand } from './evidence-chain-demands.ts';
import { type ArtifactStatus, explainedArtifact, explainedSlot, type SlotStatus } from './evidence-chain-reasons.ts';
import { STAGES, type Stage, stageOf } from './evidence-chain-stages.ts';

export interface ChainNode {
  readonly id: string;
  readonly stage: Stage;
  readonly title: string;
  readonly detail: string;
  /** Null for what is not judged, such as a commit. */
  readonly state: State | null;
  /** Required and missing. */
  readonly ghost: boolean;
  /** Why it is required, or the reason for its state. */
  readonly reason: string | null;
  readonly seal: Seal | null;
  /** What it links to: an attestation opens beside the page, everything else is another page. */
  readonly attestationId: string | null;
  readonly outside: string | null;
  readonly environment: string | null;
  readonly fingerprint: string | null;
}

export interface Chain {
  readonly nodes: readonly ChainNode[];
  readonly edges: readonly (readonly [from: string, to: string])[];
}

export interface ChainInput {
  readonly trail: Pick<Trail, 'git_commit_info' | 'compliance_status' | 'pending' | 'origin_url'>;
  readonly explanation: Explanation | undefined;
  /** Those that were read so far, by their ids. */
  readonly attestations: ReadonlyMap<string, Attestation>;
  readonly artifacts: readonly Artifact[];
  readonly demands: readonly Demand[];
  /** Only what is about this artifact, or about the trail as a whole. */
  readonly fingerprint?: string | undefined;
}

const BLANK = {
  detail: '',
  state: null,
  ghost: false,
  reason: null,
  seal: null,
  attestationId: null,
  outside: null,
  environment: null,
  fingerprint: null,
} as const;

/** From the ticket to where it runs: what exists, what fails, and what is required and missing. */
export function chainOf(input: ChainInput): Chain {
  const nodes = new Map<string, ChainNode>();
  const edges = new Map<string, readonly [string, string]>();
  const add = (node: ChainNode) => {
    if (!nodes.has(node.id)) nodes.set(node.id, node);
    return node;
  };
  const ofTrail = input.trail.compliance_status.attestations_statuses.map((slot) =>
    add(slotNode(input, slot, 'trail', input.explanation)),
  );
  const commit = commitNode(input.trail.git_commit_info, '');
  const lines = linesOf(input);
  for (const [key, status] of lines) {
    const line = [...ofTrail, ...artifactNodes(input, key, status, commit).map(add)];
    for (const [from, to] of linked(line)) edges.set(`${from} ${to}`, [from, to]);
  }
  if (lines.length === 0) {
    const line = [...ofTrail, ...(commit ? [add(commit)] : []), ...buildNodes(input.trail.origin_url).map(add)];
    for (const [from, to] of linked(line)) edges.set(`${from} ${to}`, [from, to]);
  }
  for (const pending of input.fingerprint === undefined ? input.trail.pending : []) add(pendingNode(input, pending));
  return { nodes: inOrder([...nodes.values()]), edges: [...edges.values()] };
}

/** The current artifact of each name; for a superseded one, its own status if it is the subject. */
function linesOf({ trail, fingerprint, artifacts }: ChainInput): readonly (readonly [string, ArtifactStatus])[] {
  const counting = Object.entries(trail.compliance_status.artifacts_statuses);
  if (fingerprint === undefined) return counting;
  const wanted = counting.filter(([, status]) => status.artifact_fingerprint === fingerprint);
  if (wanted.length > 0) return wanted;
  return artifacts
    .filter((artifact) => artifact.fingerprint === fingerprint)
    .map((artifact) => [artifact.template_reference_name ?? artifact.filename, artifact.compliance_status] as const);
}

function artifactNodes(
  input: ChainInput,
  key: string,
  status: ArtifactStatus,
  trailCommit: ChainNode | undefined,
): ChainNode[] {
  const fingerprint = status.artifact_fingerprint;
  const artifact = input.artifacts.find((one) => one.fingerprint === fingerprint);
  const explained = explainedArtifact(input.explanation, key, status);
  const ownCommit = artifact && commitNode(artifact.git_commit_info, artifact.git_commit);
  const missing = fingerprint === null;
  return [
    ...[ownCommit ?? trailCommit ?? []].flat(),
    ...(artifact ? buildNodes(artifact.build_url) : []),
    ...status.attestations_statuses.map((slot) => slotNode(input, slot, key, explained)),
    ...demandNodes(input, status),
    {
      ...BLANK,
      id: `artifact:${key}`,
      stage: 'artifact',
      title: artifact?.template_reference_name ?? key.split('@')[0] ?? key,
      detail: missing ? 'Not reported' : fingerprint.slice(0, 7),
      state: missing ? 'unknown' : artifactState(status),
      ghost: missing,
      reason: explained?.because ?? null,
      fingerprint,
    },
    ...(artifact ? runningNodes(artifact, input) : []),
  ];
}

function artifactState({ status }: ArtifactStatus): State {
  if (status === 'COMPLIANT') return 'compliant';
  return status === 'NON-COMPLIANT' ? 'non-compliant' : 'unknown';
}

function slotNode(input: ChainInput, slot: SlotStatus, about: string, level: Explanation | undefined): ChainNode {
  const { attestation_name: name, attestation_type: type, attestation_id: id } = slot;
  const attestation = id === null ? undefined : input.attestations.get(id);
  const reason = explainedSlot(level, slot)?.because ?? null;
  const demand = input.demands.find(({ attestationId }) => attestationId !== null && attestationId === id);
  const missing = slot.status === 'MISSING';
  return {
    ...BLANK,
    id: `${about}/${name}:${type}${id === null ? '' : `:${id}`}`,
    stage: stageOf(attestation?.attestation_type ?? type, name),
    title: name,
    detail: missing ? `${typeWords(type)} not reported` : attestation ? summaryOf(attestation) : typeWords(type),
    state: slotState(slot, demand !== undefined),
    ghost: missing,
    reason: demand?.reason ?? reason,
    seal: attestation ? sealOf(attestation) : null,
    attestationId: id,
  };
}

function slotState(slot: SlotStatus, isNotEnough: boolean): State {
  if (slot.status === 'MISSING') return 'unknown';
  if (slot.is_compliant === false || isNotEnough) return 'non-compliant';
  return slot.overridden_attestation_id === null ? 'compliant' : 'waived';
}

function commitNode(info: Trail['git_commit_info'], sha: string): ChainNode | undefined {
  const digits = info?.sha1 ?? sha;
  if (digits === '') return undefined;
  const author = info?.author_username || info?.author || '';
  return {
    ...BLANK,
    id: `commit:${digits}`,
    stage: 'commit',
    title: digits.slice(0, 7),
    detail: author,
    reason: (info?.message ?? '').split('\n')[0] || null,
    seal: commitSeal(info ?? null),
    outside: info?.url || null,
  };
}

function buildNodes(url: string | null): ChainNode[] {
  if (!url) return [];
  const number = /(\d+)\/?$/.exec(url)?.[1];
  const host = URL.parse(url)?.host ?? '';
  const title = number === undefined ? 'Build' : `Build ${number}`;
  return [{ ...BLANK, id: `build:${url}`, stage: 'build', title, detail: host, outside: url }];
}

/** What the template misses too is listed already, with the template's reason. */
function demandNodes({ demands, trail }: ChainInput, artifact: ArtifactStatus): ChainNode[] {
  const fingerprint = artifact.artifact_fingerprint;
  const known = new Set(
    [...trail.compliance_status.attestations_statuses, ...artifact.attestations_statuses]
      .filter(({ status }) => status === 'MISSING')
      .map(({ attestation_name }) => attestation_name),
  );
  return demands
    .filter((demand) => demand.attestationId === null && demand.fingerprint === fingerprint)
    .filter(({ name }) => name === null || !known.has(name))
    .map(({ name, type, policy, reason }) => ({
      ...BLANK,
      id: `demand:${fingerprint}:${policy}:${name ?? '*'}:${type}`,
      stage: stageOf(type, name ?? ''),
      title: name ?? typeWords(type),
      detail: `Required by policy ${policy}`,
      state: 'unknown',
      ghost: true,
      reason,
    }));
}

function runningNodes(artifact: Artifact, input: ChainInput): ChainNode[] {
  const names = [...artifact.running, ...artifact.exited].map(({ environment_name }) => environment_name);
  return [...new Set(names)].map((name) => placeNode(name, input));
}

/** One for all artifacts of the chain: running comes before exited, and failing before all. */
function placeNode(environment: string, { artifacts, demands }: ChainInput): ChainNode {
  const indexesOf = (places: Artifact['running']) =>
    places.filter((place) => place.environment_name === environment).map(({ snapshot_index }) => snapshot_index);
  const since = artifacts.flatMap(({ running }) => indexesOf(running));
  const left = artifacts.flatMap(({ exited }) => indexesOf(exited));
  const isUnmet = since.length > 0 && demands.some((demand) => demand.environment === environment);
  return {
    ...BLANK,
    id: `running:${environment}`,
    stage: 'running',
    title: environment,
    detail:
      since.length > 0 ? `Running since snapshot ${Math.min(...since)}` : `Exited in snapshot ${Math.max(...left)}`,
    state: isUnmet ? 'non-compliant' : null,
    reason: isUnmet ? 'It fails a policy there.' : null,
    environment,
  };
}

function pendingNode({ attestations }: ChainInput, pending: Trail['pending'][number]): ChainNode {
  const attestation = attestations.get(pending.attestation_id);
  return {
    ...BLANK,
    id: `pending:${pending.attestation_id}`,
    stage: stageOf(attestation?.attestation_type ?? '', pending.attestation_name),
    title: pending.attestation_name,
    detail: `Waits for ‘${pending.target_artifact}’`,
    state: attestation?.is_compliant === false ? 'non-compliant' : 'unknown',
    reason: pending.hints.join(' ') || `It is about ‘${pending.target_artifact}’, which is not in this trail.`,
    seal: attestation ? sealOf(attestation) : null,
    attestationId: pending.attestation_id,
  };
}

/** Each stage that has something is linked to the next that has. */
function linked(line: readonly ChainNode[]): (readonly [string, string])[] {
  const filled = STAGES.map(({ id }) => line.filter(({ stage }) => stage === id)).filter(({ length }) => length > 0);
  return filled
    .slice(1)
    .flatMap((stage, place) => stage.flatMap((to) => (filled[place] ?? []).map((from) => [from.id, to.id] as const)));
}

const WEIGHT: Readonly<Record<State, number>> = { 'non-compliant': 0, unknown: 1, waived: 2, compliant: 3 };

/** What needs attention comes first; otherwise in the order of the template. */
function inOrder(nodes: readonly ChainNode[]): readonly ChainNode[] {
  const weight = ({ state }: ChainNode) => (state === null ? 4 : WEIGHT[state]);
  return STAGES.flatMap(({ id }) =>
    nodes.filter(({ stage }) => stage === id).sort((one, other) => weight(one) - weight(other)),
  );
}

/** Everything that leads to a node, and everything it leads to. */
export function pathThrough({ edges }: Pick<Chain, 'edges'>, id: string): ReadonlySet<string> {
  const reach = (from: 0 | 1) => {
    const found = new Set([id]);
    for (const one of found) for (const edge of edges) if (edge[from] === one) found.add(edge[from === 0 ? 1 : 0]);
    return found;
  };
  return reach(0).union(reach(1));
}
