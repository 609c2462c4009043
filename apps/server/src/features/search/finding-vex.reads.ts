import { type AttestationEvidence, type ExcludedBy, excludedByVex } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { readReadings } from '../readings/reading.reads.ts';
import { readAttestations } from '../runtime-verdicts/evidence.reads.ts';
import type { FoundFinding } from './finding.reads.ts';

interface Document {
  readonly id: string;
  readonly trail_id: string;
  readonly fingerprint: string | null;
}

/** The newest of each name: an override of a document takes its place, and says nothing. */
const listVexDocuments = statement<{ org_id: string; trail_ids: readonly string[]; most: number }, Document>(
  'list_vex_documents_of_trails',
  `select id, trail_id, fingerprint from (
     select distinct on (trail_id, name, counts_as, fingerprint) id, trail_id, fingerprint
     from attestation
     where org_id = :org_id and trail_id = any(:trail_ids::uuid[]) and counts_as in ('vex', 'in_toto')
     order by trail_id, name, counts_as, fingerprint, receipt desc limit :most
   ) as newest
   where exists (select from attestation_reading as link where link.org_id = :org_id and link.attestation_id = id)`,
);

/** Of all trails on a page. */
const DOCUMENTS_MAX = 500;

/** Returns the VEX document that excludes each finding, whatever its trust, in the order of the findings. */
export async function readExclusions(ctx: Ctx, found: readonly FoundFinding[]): Promise<(ExcludedBy | null)[]> {
  const trailIds = [...new Set(found.map(({ trail_id }) => trail_id))];
  if (trailIds.length === 0) return [];
  const documents = await listVexDocuments(ctx.db, { org_id: ctx.org, trail_ids: trailIds, most: DOCUMENTS_MAX });
  if (documents.length === 0) return found.map(() => null);
  const evidence = await readAttestations(
    ctx,
    documents.map(({ id }) => id),
  );
  const needed = [...evidence.values()].flatMap(({ vex }) => (vex ? [{ id: vex.set, count: vex.count }] : []));
  const readings = await readReadings(ctx, needed);
  const byPlace = new Map<string, ReturnType<typeof excludedByVex>>();
  return found.map(({ trail_id: trailId, fingerprint, finding }) => {
    const place = `${trailId} ${fingerprint}`;
    const own = byPlace.get(place) ?? excludedByVex(documentsOf(documents, evidence, trailId, fingerprint), readings);
    byPlace.set(place, own);
    return own(finding);
  });
}

/** Those about the artifact, and about its trail. */
function documentsOf(
  documents: readonly Document[],
  evidence: ReadonlyMap<string, AttestationEvidence>,
  trailId: string,
  fingerprint: string | null,
): AttestationEvidence[] {
  return documents
    .filter((one) => one.trail_id === trailId && (one.fingerprint === null || one.fingerprint === fingerprint))
    .flatMap(({ id }) => evidence.get(id) ?? []);
}
