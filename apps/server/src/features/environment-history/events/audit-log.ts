import type { Ctx } from '../../../platform/ctx.ts';
import { inChunks } from '../../../platform/export/chunks.ts';
import { csvLine } from '../../../platform/export/csv.ts';
import {
  type EventProvenance,
  type EventProvenances,
  type EventRow,
  readEventProvenances,
  readEvents,
} from './event.reads.ts';
import { type EventKind, eventKinds, listKeys } from './event-key.reads.ts';
import type { EventRange } from './event-range.reads.ts';
import { readEventReasons } from './event-reason.reads.ts';
import { isCompliant, provenancesOf } from './event-view.ts';

/** An event has to match all of these; null matches everything. */
export interface EnvironmentAuditFilter {
  readonly kinds: ReadonlySet<EventKind> | null;
  readonly flows: { readonly ids: ReadonlySet<string>; readonly withoutProvenance: boolean } | null;
  readonly repositories: ReadonlySet<string> | null;
}

const COLUMNS = [
  'timestamp',
  'event',
  'environment',
  'snapshot_index',
  'artifact_name',
  'fingerprint',
  'flow',
  'trail',
  'git_commit',
  'commit_url',
  'repository',
  'compliant',
  'reason',
  'instances',
];

/** Events that are in memory at a time, of all environments together. */
const BATCH = 2_000;
const SMALLEST_BATCH = 50;

/** Returns the events of all ranges as CSV, oldest first. Reads in short statements, however slow the client is. */
export function auditLog(
  ctx: Ctx,
  ranges: readonly EventRange[],
  filter: EnvironmentAuditFilter,
): AsyncGenerator<Buffer, void> {
  return inChunks(linesOf(ctx, ranges, filter));
}

async function* linesOf(
  ctx: Ctx,
  ranges: readonly EventRange[],
  filter: EnvironmentAuditFilter,
): AsyncGenerator<string, void> {
  const batch = Math.max(SMALLEST_BATCH, Math.floor(BATCH / Math.max(1, ranges.length)));
  const sources = ranges.map((range) => auditedIn(ctx, range, filter, batch));
  yield csvLine(COLUMNS);
  for await (const audited of merged(sources)) yield lineOf(audited);
}

interface Audited {
  readonly environment: string;
  readonly event: EventRow;
  readonly provenance: EventProvenance | undefined;
  readonly reason: string;
}

/** Of one environment. */
async function* auditedIn(
  ctx: Ctx,
  { environment, before, upto }: EventRange,
  filter: EnvironmentAuditFilter,
  batch: number,
): AsyncGenerator<Audited, void> {
  for (let after = before; after < upto; after += batch) {
    const keys = await listKeys(ctx, environment.id, after, Math.min(upto, after + batch));
    const events = await readEvents(
      ctx,
      keys.filter(({ kind }) => isKindWanted(kind, filter)),
    );
    const provenances = await readEventProvenances(
      ctx,
      events.flatMap(({ artifact_ids }) => (filtersByProvenance(filter) ? artifact_ids : artifact_ids.slice(0, 1))),
    );
    const selected = events.flatMap((event) => {
      const chosen = selectProvenance(event, provenances, filter);
      return chosen ? [{ environment: environment.name, event, provenance: chosen.provenance }] : [];
    });
    const reasonOf = await readEventReasons(
      ctx,
      selected.map(({ event }) => event),
    );
    for (const audited of selected) yield { ...audited, reason: reasonOf(audited.event) };
  }
}

function isKindWanted(kind: number, { kinds }: EnvironmentAuditFilter): boolean {
  const word = eventKinds[kind];
  return kinds === null || (word !== undefined && kinds.has(word));
}

function filtersByProvenance({ flows, repositories }: EnvironmentAuditFilter): boolean {
  return flows !== null || repositories !== null;
}

/** The newest provenance that matches all filters, or simply the newest; undefined when the event does not match. */
function selectProvenance(
  event: EventRow,
  known: EventProvenances,
  filter: EnvironmentAuditFilter,
): { provenance: EventProvenance | undefined } | undefined {
  const { flows, repositories } = filter;
  const provenances = provenancesOf(event, known);
  const inFlow = ({ flow_id }: EventProvenance) => flows === null || flows.ids.has(flow_id);
  const inRepository = ({ repository_name }: EventProvenance) =>
    repositories === null || (repository_name !== null && repositories.has(repository_name));
  if (provenances.length === 0) {
    const isWanted = repositories === null && (flows === null || flows.withoutProvenance);
    return isWanted ? { provenance: undefined } : undefined;
  }
  if (!(provenances.some(inFlow) && provenances.some(inRepository))) return undefined;
  return {
    provenance: provenances.find((provenance) => inFlow(provenance) && inRepository(provenance)) ?? provenances[0],
  };
}

/** Ordered by time, then by the order of the sources. */
async function* merged(sources: readonly AsyncGenerator<Audited, void>[]): AsyncGenerator<Audited, void> {
  const heads: { source: AsyncGenerator<Audited, void>; head: Audited }[] = [];
  // One after another: reading many at once would take all connections.
  for (const source of sources) {
    const { value } = await source.next();
    if (value) heads.push({ source, head: value });
  }
  while (true) {
    const [first, ...others] = heads;
    if (!first) return;
    const next = others.reduce((a, b) => (b.head.event.created_at < a.head.event.created_at ? b : a), first);
    yield next.head;
    const { value } = await next.source.next();
    if (value) next.head = value;
    else heads.splice(heads.indexOf(next), 1);
  }
}

function lineOf({ environment, event, provenance, reason }: Audited): string {
  return csvLine([
    event.created_at.toISOString(),
    eventKinds[event.kind] ?? '',
    environment,
    event.index,
    event.name,
    event.fingerprint,
    provenance?.flow_name ?? '',
    provenance?.trail_name ?? '',
    provenance?.commit_sha ?? '',
    provenance?.commit_url ?? '',
    provenance?.repository_name ?? '',
    String(isCompliant(event.compliance) ?? 'unknown'),
    reason,
    event.instances,
  ]);
}
