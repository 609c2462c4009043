import type { Artifact, Attestation, Trail } from '@waymark/contract';
import { shortDigest } from '../../resources/show.ts';

/** One step from the ticket to the environment. */
export interface Link {
  readonly step: 'ticket' | 'commit' | 'review' | 'build' | 'evidence' | 'artifact' | 'running';
  readonly state: 'recorded' | 'passed' | 'failed' | 'missing';
  readonly what: string;
  readonly at: number | null;
}

export type Slot = Trail['compliance_status']['attestations_statuses'][number];

export interface Runs {
  readonly environment_name: string;
  readonly snapshot_index: number;
  readonly since: number | null;
}

/**
 * The requirements and evidence of the trail and the artifact, each once: evidence on the trail counts for the
 * artifact, too.
 */
export function slotsOf(artifact: Artifact, trail: Trail): Slot[] {
  const slots = [...trail.compliance_status.attestations_statuses, ...artifact.compliance_status.attestations_statuses];
  const keyed = slots.map(
    (slot) => [slot.attestation_id ?? `${slot.attestation_name}:${slot.attestation_type}`, slot] as const,
  );
  return [...new Map(keyed).values()];
}

export function chainOf(
  artifact: Artifact,
  trail: Trail,
  slots: readonly Slot[],
  attestations: ReadonlyMap<string, Attestation>,
  runs: readonly Runs[],
): Link[] {
  const links = slots.map((slot) => slotLink(slot, attestations.get(slot.attestation_id ?? '')));
  const of = (step: Link['step']) => links.filter((link) => link.step === step);
  const reviews = of('review');
  return [
    ...of('ticket'),
    commitLink(artifact, trail),
    ...(reviews.length > 0 ? reviews : [missing('review', 'no review recorded')]),
    artifact.build_url === ''
      ? missing('build', 'no build recorded')
      : { step: 'build', state: 'recorded', what: artifact.build_url, at: null },
    ...of('evidence'),
    {
      step: 'artifact',
      state: 'recorded',
      what: `${artifact.filename} ${shortDigest(artifact.fingerprint)}, reported by ${artifact.created_by}`,
      at: artifact.created_at,
    },
    ...(runs.length > 0 ? runs.map(runLink) : [missing('running', 'not running anywhere')]),
  ];
}

/** The commit details of the trail, where the artifact has the hash only. */
function commitLink({ git_commit, git_commit_info, commit_url }: Artifact, trail: Trail): Link {
  const ofTrail = trail.git_commit_info?.sha1 === git_commit ? trail.git_commit_info : null;
  const info = git_commit_info ?? ofTrail;
  if (git_commit === '') return missing('commit', `trail ${trail.name} names no commit`);
  const [subject] = (info?.message ?? '').split('\n');
  const parts = [
    shortDigest(git_commit),
    subject,
    info?.author && `by ${info.author}`,
    info?.branch && `on ${info.branch}`,
  ];
  const what = info ? parts.filter(Boolean).join(' ') : `${shortDigest(git_commit)} ${commit_url}`;
  return {
    step: 'commit',
    state: 'recorded',
    what: what.trim(), // The API has 0 where the time is unknown.
    at: info?.timestamp || null,
  };
}

const STEPS: Readonly<Record<string, Link['step']>> = { pull_request: 'review', jira: 'ticket' };

function slotLink(slot: Slot, attestation: Attestation | undefined): Link {
  const { attestation_name: name, attestation_type: type, is_compliant, unexpected, status } = slot;
  const step = STEPS[type] ?? 'evidence';
  const label = `${name} (${type === '*' ? 'any type' : type})`;
  if (status === 'MISSING') return missing(step, `${label}: required but missing`);
  const reasons = attestation?.reasons.join(' ') ?? '';
  const more = [
    is_compliant === false && (unexpected ? reasons.replace(/\.$/, '') : reasons),
    unexpected && 'not in the template',
  ]
    .filter(Boolean)
    .join('; ');
  return {
    step,
    state: is_compliant === false ? 'failed' : 'passed',
    what: more === '' ? label : `${label}: ${more}`,
    at: attestation?.created_at ?? null,
  };
}

function runLink({ environment_name, snapshot_index, since }: Runs): Link {
  return {
    step: 'running',
    state: 'recorded',
    what: `${environment_name}, since snapshot ${snapshot_index}`,
    at: since,
  };
}

function missing(step: Link['step'], what: string): Link {
  return { step, state: 'missing', what, at: null };
}
