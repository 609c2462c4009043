import type { Selectable } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Tables } from '../../../platform/db/tables.ts';
import { listTrailEvents, type TrailEvent } from '../../trails/trail-events.reads.ts';
import type { PackageScope } from './scope.reads.ts';

/** Few at a time: a record may hold 1 MiB of evidence and as much parsed from its attachment. */
const ROWS_PER_BATCH = 25;
const EVENTS_PER_PAGE = 1_000;

export type PackagedArtifact = Selectable<Tables['artifact']>;
export type PackagedAttestation = Selectable<Tables['attestation']>;
export type PackagedApproval = Selectable<Tables['approval']>;

export function readArtifacts(ctx: Ctx, { trailId, artifacts }: PackageScope): AsyncGenerator<PackagedArtifact> {
  const query = ctx.db.selectFrom('artifact').selectAll().where('org_id', '=', ctx.org).where('trail_id', '=', trailId);
  return inPages(artifacts, (receipts) => query.where('receipt', 'in', receipts).orderBy('receipt', 'desc').execute());
}

export function readAttestations(
  ctx: Ctx,
  { trailId, attestations }: PackageScope,
): AsyncGenerator<PackagedAttestation> {
  const query = ctx.db
    .selectFrom('attestation')
    .selectAll()
    .where('org_id', '=', ctx.org)
    .where('trail_id', '=', trailId);
  return inPages(attestations, (receipts) =>
    query.where('receipt', 'in', receipts).orderBy('receipt', 'desc').execute(),
  );
}

export function readApprovals(ctx: Ctx, { trailId, approvals }: PackageScope): AsyncGenerator<PackagedApproval> {
  const query = ctx.db.selectFrom('approval').selectAll().where('org_id', '=', ctx.org).where('trail_id', '=', trailId);
  return inPages(approvals, (receipts) => query.where('receipt', 'in', receipts).orderBy('receipt', 'desc').execute());
}

async function* inPages<Row>(
  receipts: readonly number[],
  read: (receipts: readonly number[]) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let at = 0; at < receipts.length; at += ROWS_PER_BATCH)
    yield* await read(receipts.slice(at, at + ROWS_PER_BATCH));
}

/** Reads the events in the scope, newest first, in pages of at most 1,000. */
export async function* readEventPages(ctx: Ctx, scope: PackageScope): AsyncGenerator<TrailEvent[]> {
  const wanted = new Set([scope.artifacts, scope.attestations, scope.approvals, scope.changes].flat());
  let before: number | undefined;
  while (wanted.size > 0) {
    const page = await listTrailEvents(ctx, scope.trailId, EVENTS_PER_PAGE, before);
    const found = page.filter((event) => wanted.delete(event.receipt));
    if (found.length > 0) yield found;
    if (page.length < EVENTS_PER_PAGE) return;
    before = page.at(-1)?.receipt;
  }
}
