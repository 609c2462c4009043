import type { EnvironmentEvent } from '@waymark/contract';
import { apiUrl } from '../../../platform/http/links.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { commitPageOf, diffUrl } from '../../snapshots/read/diff-url-view.ts';
import type { EventProvenance, EventProvenances, EventRow } from './event.reads.ts';
import { eventKinds } from './event-key.reads.ts';

interface EventPlace {
  readonly publicUrl: string;
  readonly org: string;
  readonly environment: string;
}

/** `replaced` are the reports of what ran in its place before, newest first. */
export function toEvent(
  event: EventRow,
  provenances: EventProvenances,
  replaced: readonly string[],
  reason: string,
  place: EventPlace,
): EnvironmentEvent {
  const known = provenancesOf(event, provenances);
  const [primary] = known;
  const type = typeOf(event);
  return {
    environment_name: place.environment,
    snapshot_index: event.index,
    type,
    artifact_name: event.name,
    sha256: event.fingerprint,
    description: describe(type, event, primary, reason),
    reported_at: epochSeconds(event.created_at),
    pipeline: primary?.flow_name ?? '',
    flows: known.map(({ flow_name }) => ({ flow_name, deployments: event.deployments })),
    deployments: event.deployments,
    artifact_compliance: isCompliant(event.compliance),
    snapshot_compliance: isCompliant(event.snapshot_compliance),
    code_diff: type === 'exited' ? '' : codeDiff(primary, replaced, provenances),
    _links: linksOf(event, primary, place),
  };
}

/** As in the snapshot: from the report in the same flow, or else from the newest. */
function codeDiff(
  primary: EventProvenance | undefined,
  replaced: readonly string[],
  provenances: EventProvenances,
): string {
  const reports = replaced.flatMap((id) => provenances.get(id) ?? []);
  const previous = reports.find(({ flow_id }) => flow_id === primary?.flow_id) ?? reports[0];
  return diffUrl(commitPageOf(previous?.commit_url ?? ''), commitPageOf(primary?.commit_url ?? ''));
}

/** Newest first. */
export function provenancesOf(event: EventRow, provenances: EventProvenances): EventProvenance[] {
  return event.artifact_ids.flatMap((id) => provenances.get(id) ?? []);
}

function typeOf({ kind, cause }: EventRow): EnvironmentEvent['type'] {
  const type = eventKinds[kind] ?? 'changed';
  return type === 'changed' && cause === 'provenance' ? 'updated-provenance' : type;
}

function describe(
  type: EnvironmentEvent['type'],
  event: EventRow,
  primary: EventProvenance | undefined,
  reason: string,
): string {
  const { index, instances, compliance } = event;
  switch (type) {
    case 'started':
      return `Started in snapshot ${index} with ${instances} ${instances === 1 ? 'instance' : 'instances'}`;
    case 'exited':
      return `Exited in snapshot ${index}`;
    case 'changed':
      return `Became ${compliance} in snapshot ${index}${reason === '' ? '' : `: ${reason}`}`;
    case 'updated-provenance':
      return primary
        ? `Provenance known since snapshot ${index}: flow '${primary.flow_name}', trail '${primary.trail_name}'`
        : `No provenance known since snapshot ${index}`;
  }
}

/** Null when it is not known; a waiver makes an artifact compliant. */
export function isCompliant(compliance: EventRow['compliance']): boolean | null {
  if (compliance === 'unknown') return null;
  return compliance !== 'non-compliant';
}

function linksOf(event: EventRow, primary: EventProvenance | undefined, { publicUrl, org, environment }: EventPlace) {
  const snapshot = { href: apiUrl(publicUrl, `/snapshots/${org}/${environment}/${event.index}`) };
  if (!primary) return { snapshot };
  const path = `/artifacts/${org}/${primary.flow_name}/fingerprint/${event.fingerprint}`;
  return { snapshot, artifact: { href: apiUrl(publicUrl, path) } };
}
