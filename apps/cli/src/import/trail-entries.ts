import { secondsOf } from './original.ts';
import type { Source } from './source.ts';
import type { SourceTrail, TrailEvent } from './source-contracts.ts';

/** Something to carry in a trail. */
export type TrailEntry =
  | { readonly kind: 'artifact'; readonly fingerprint: string }
  | { readonly kind: 'attestation'; readonly id: string }
  | { readonly kind: 'approval'; readonly of: string };

/** A source lists no more events than this, and leaves out the oldest. */
const EVENTS_MAX = 1_000;

/**
 * Returns what was reported into a trail, in the order in which it was: from the events of the trail and, where these
 * are not all, from its verdict and by the names in it.
 */
export async function trailEntries(source: Source, flow: string, trail: SourceTrail): Promise<TrailEntry[]> {
  const events = (trail.events ?? []).toSorted((a, b) => (secondsOf(a.timestamp) ?? 0) - (secondsOf(b.timestamp) ?? 0));
  const older = events.length < EVENTS_MAX ? [] : await listedByName(source, flow, trail);
  const entries = new Map<string, TrailEntry>();
  for (const entry of [...artifactsOf(trail, older), ...older, ...events.flatMap(entryOf), ...inVerdict(trail)]) {
    const key = entry.kind === 'attestation' ? entry.id : `${entry.kind} ${JSON.stringify(entry)}`;
    if (!entries.has(key)) entries.set(key, entry);
  }
  return [...entries.values()];
}

function entryOf(event: TrailEvent): TrailEntry[] {
  const { type, attestation_id: id, artifact_fingerprint: fingerprint } = event;
  if (type === 'artifact_approval_reported') return [{ kind: 'approval', of: fingerprint ?? '' }];
  if (id) return [{ kind: 'attestation', id }];
  return type === 'artifact_creation_reported' && fingerprint ? [{ kind: 'artifact', fingerprint }] : [];
}

function slotsOf({ compliance_status: verdict }: SourceTrail) {
  const ofArtifacts = Object.values(verdict?.artifacts_statuses ?? {});
  return [
    ...(verdict?.attestations_statuses ?? []),
    ...ofArtifacts.flatMap(({ attestations_statuses: slots }) => slots ?? []),
  ];
}

function inVerdict(trail: SourceTrail): TrailEntry[] {
  const artifacts = Object.values(trail.compliance_status?.artifacts_statuses ?? {});
  // An override comes after the attestation that it is about.
  const ids = slotsOf(trail).flatMap((slot) => [slot.overridden_attestation_id, slot.attestation_id]);
  return [
    ...artifacts.flatMap(({ artifact_fingerprint: fingerprint }) =>
      fingerprint ? [{ kind: 'artifact' as const, fingerprint }] : [],
    ),
    ...ids.flatMap((id) => (id ? [{ kind: 'attestation' as const, id }] : [])),
  ];
}

/** Where the events begin late, the artifacts of the trail come first: attestations refer to them. */
function artifactsOf(trail: SourceTrail, older: readonly TrailEntry[]): TrailEntry[] {
  return older.length === 0 ? [] : inVerdict(trail).filter(({ kind }) => kind === 'artifact');
}

async function listedByName(source: Source, flow: string, trail: SourceTrail): Promise<TrailEntry[]> {
  const found: { id: string; at: number }[] = [];
  for (const name of new Set(slotsOf(trail).map((slot) => slot.attestation_name))) {
    for await (const { attestation_id: id, created_at } of source.attestationsNamed(flow, trail.name, name)) {
      found.push({ id, at: secondsOf(created_at) ?? 0 });
    }
  }
  return found.toSorted((a, b) => a.at - b.at).map(({ id }) => ({ kind: 'attestation', id }));
}
