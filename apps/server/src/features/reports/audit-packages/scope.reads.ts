import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { invalid } from '../../../platform/errors.ts';
import { inertName } from './safe-name.ts';

/** By kind of record. */
export const SCOPE_MAX = 100_000;

export interface Attachment {
  readonly sha256: string;
  readonly size: number;
  readonly name: string;
  /** Its path in the package. */
  readonly path: string;
  /** The last part of the path, where it differs from the name that was sent. */
  readonly storedAs: string | undefined;
}

/** The content of a package, by receipt, newest first. Later arrivals do not change it. */
export interface PackageScope {
  readonly trailId: string;
  readonly artifacts: readonly number[];
  readonly attestations: readonly number[];
  readonly attestationIds: ReadonlySet<string>;
  readonly approvals: readonly number[];
  /** Changes of the trail itself. */
  readonly changes: readonly number[];
  /** By digest: a file that is attached twice is in the package once. */
  readonly attachments: ReadonlyMap<string, Attachment>;
}

/** Runs `work` in one database snapshot, so that a verdict and its inputs are consistent. */
export function atOneMoment<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  return ctx.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => work({ ...ctx, db: trx }));
}

export async function readTrailScope(ctx: Ctx, trailId: string): Promise<PackageScope> {
  return {
    trailId,
    artifacts: receiptsOf(await ofTrail(ctx, 'artifact', trailId).execute()),
    approvals: receiptsOf(await ofTrail(ctx, 'approval', trailId).execute()),
    changes: receiptsOf(await ofTrail(ctx, 'trail_event', trailId).execute()),
    ...withAttachments(await attestationsOf(ctx, trailId).execute()),
  };
}

/** Evidence about the artifact, however it is named, and about the trail as a whole, which counts for it too. */
export async function readArtifactScope(ctx: Ctx, trailId: string, fingerprint: string): Promise<PackageScope> {
  const artifacts = await ofFingerprint(ctx, 'artifact', trailId, fingerprint).execute();
  const approvals = await ofFingerprint(ctx, 'approval', trailId, fingerprint).execute();
  const isAbout = sql<SqlBool>`(attestation.fingerprint = ${fingerprint} or (attestation.fingerprint is null and (
    attestation.target_artifact is null or exists (
      select from artifact where artifact.org_id = ${ctx.org} and artifact.trail_id = ${trailId}
        and artifact.fingerprint = ${fingerprint} and artifact.template_name = attestation.target_artifact
        and artifact.commit_sha = attestation.commit_sha))))`;
  return {
    trailId,
    artifacts: receiptsOf(artifacts),
    approvals: receiptsOf(approvals),
    changes: receiptsOf(await ofTrail(ctx, 'trail_event', trailId).execute()),
    ...withAttachments(await attestationsOf(ctx, trailId).where(isAbout).execute()),
  };
}

export async function readAttestationScope(ctx: Ctx, trailId: string, id: string): Promise<PackageScope> {
  const rows = await attestationsOf(ctx, trailId).where('id', '=', id).execute();
  return { trailId, artifacts: [], approvals: [], changes: [], ...withAttachments(rows) };
}

function ofTrail(ctx: Ctx, table: 'artifact' | 'approval' | 'trail_event', trailId: string) {
  return ctx.db
    .selectFrom(table)
    .select('receipt')
    .where('org_id', '=', ctx.org)
    .where('trail_id', '=', trailId)
    .orderBy('receipt', 'desc')
    .limit(SCOPE_MAX + 1);
}

function ofFingerprint(ctx: Ctx, table: 'artifact' | 'approval', trailId: string, fingerprint: string) {
  return ctx.db
    .selectFrom(table)
    .select('receipt')
    .where('org_id', '=', ctx.org)
    .where('trail_id', '=', trailId)
    .where('fingerprint', '=', fingerprint)
    .orderBy('receipt', 'desc')
    .limit(SCOPE_MAX + 1);
}

function attestationsOf(ctx: Ctx, trailId: string) {
  return ctx.db
    .selectFrom('attestation')
    .select(['id', 'receipt', 'attachment_sha256', 'attachment_name', 'attachment_size'])
    .where('org_id', '=', ctx.org)
    .where('trail_id', '=', trailId)
    .orderBy('receipt', 'desc')
    .limit(SCOPE_MAX + 1);
}

type AttestationRow = Awaited<ReturnType<ReturnType<typeof attestationsOf>['execute']>>[number];

function receiptsOf(rows: readonly { receipt: number }[]): number[] {
  if (rows.length > SCOPE_MAX)
    throw invalid(`It contains more than ${SCOPE_MAX} records of one kind, which is too many to export`);
  return rows.map((row) => row.receipt);
}

function withAttachments(
  rows: readonly AttestationRow[],
): Pick<PackageScope, 'attestations' | 'attestationIds' | 'attachments'> {
  const attachments = new Map<string, Attachment>();
  for (const { attachment_sha256: sha256, attachment_name, attachment_size } of rows) {
    if (sha256 === null || attachments.has(sha256)) continue;
    const name = attachment_name ?? 'evidence';
    const inert = inertName(name);
    attachments.set(sha256, {
      sha256,
      name,
      size: attachment_size ?? 0,
      path: `attachments/${sha256}/${inert}`,
      storedAs: inert === name ? undefined : inert,
    });
  }
  return { attestations: receiptsOf(rows), attestationIds: new Set(rows.map((row) => row.id)), attachments };
}
