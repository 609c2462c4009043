import { hash } from 'node:crypto';
import type { NormalizedFinding, NormalizedFindings } from '@waymark/evidence';
import type { FindingEvidence, FindingsReading } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { epochSeconds } from '../../platform/time.ts';
import { findingId } from './finding-keys.service.ts';
import { artifactNames, type EvidencePlace, type NewReading } from './reading.service.ts';
import * as store from './reading.store.ts';

/** Adds to findings when each was first seen in the flow for an artifact of this name. */
export async function readingOf(
  ctx: Ctx,
  place: EvidencePlace,
  { findings, others }: NormalizedFindings,
): Promise<NewReading> {
  const names = await artifactNames(ctx, place);
  const ids = findings.map(findingId);
  const knownSince = await readFirstSeen(ctx, place, names, ids);
  const now = Math.floor(epochSeconds(ctx.now()));
  const seen = new Map(ids.map((id) => [id, knownSince.get(id) ?? now]));
  const dated = findings.map((finding, i) => datedFinding(finding, seen.get(ids[i] ?? '') ?? now));
  const reading: FindingsReading = { kind: 'findings', findings: dated, others };
  const content = JSON.stringify(reading);
  return { id: hash('sha256', content), content, size: dated.length, findings: dated, seen, names };
}

/** In the order of keys that a text of it always has. */
function datedFinding(finding: NormalizedFinding, seen: number): FindingEvidence {
  const { id, severity, aliases, score, component, fixed, location, title } = finding;
  return {
    ...{ id, severity },
    ...(aliases && { aliases }),
    ...(score !== undefined && { score }),
    ...(component !== undefined && { component }),
    ...(fixed !== undefined && { fixed }),
    ...(location !== undefined && { location }),
    ...(title !== undefined && { title }),
    seen,
  };
}

async function readFirstSeen(
  ctx: Ctx,
  { flowId }: EvidencePlace,
  names: readonly string[],
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (flowId === null || ids.length === 0) return new Map();
  const asked = { org_id: ctx.org, flow_id: flowId, names, ids: [...new Set(ids)] };
  const rows = await store.listFirstSeen(ctx.db, asked);
  return new Map(rows.map(({ finding_id, seen_at }) => [finding_id, epochSeconds(seen_at)]));
}
