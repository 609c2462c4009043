import { type Artifact, type Attestation, type Judgement, judgeTrail, type Target } from '@waymark/compliance';
import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { inSlices } from '../../platform/slices.ts';
import { type StoredRows, storedRows } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import { readTemplates } from '../flows/template.reads.ts';

export interface TrailToJudge {
  readonly id: string;
  readonly name: string;
  readonly template_id: string;
  readonly auto_created: boolean;
}

/** Part of a stored verdict; the rest is for replays. */
export interface AttestationVerdictRow {
  readonly reasons?: readonly string[];
  readonly override_reason?: string;
}

interface AttestationRow {
  id: string;
  trail_id: string;
  receipt: number;
  created_at: Date;
  name: string;
  type: string;
  counts_as: string;
  is_compliant: boolean;
  fingerprint: string | null;
  target_artifact: string | null;
  commit_sha: string | null;
  overrides_id: string | null;
  verdict: string | null;
}

interface ArtifactRow {
  id: string;
  trail_id: string;
  receipt: number;
  created_at: Date;
  fingerprint: string;
  filename: string;
  template_name: string | null;
  commit_sha: string | null;
}

/** The reason why a damaged attestation is not compliant. */
export const UNREADABLE_ATTESTATION = 'The stored attestation cannot be read';

/**
 * The part of a verdict that is needed to judge: of a compliant one, only that it can be read. PostgreSQL checks that
 * for long verdicts, most of which was parsed from an attachment.
 */
export const DECIDING_VERDICT = `case when is_compliant and overrides_id is null and octet_length(verdict) > 8192
  and readable_json(verdict) is not null then null else verdict end as verdict`;

const COUNTING = `id, trail_id, receipt, created_at, name, type, counts_as, is_compliant, fingerprint, target_artifact,
  commit_sha, overrides_id, ${DECIDING_VERDICT}`;

/**
 * The newest report of each name, type and target, and its newest override for each way to name the artifact. Other
 * overrides have no effect.
 */
const listCounting = statement<{ org_id: string; trail_ids: readonly string[] }, AttestationRow>(
  'list_counting_attestations',
  `with newest as materialized (
     select distinct on (trail_id, name, counts_as, fingerprint, target_artifact, commit_sha) ${COUNTING}
     from attestation
     where org_id = :org_id and trail_id = any(:trail_ids::uuid[]) and overrides_id is null
     order by trail_id, name, counts_as, fingerprint, target_artifact, commit_sha, receipt desc
   )
   select * from newest
   union all (
     select distinct on (overrides_id, fingerprint, target_artifact, commit_sha) ${COUNTING}
     from attestation
     where org_id = :org_id and trail_id = any(:trail_ids::uuid[]) and overrides_id is not null
       and overrides_id in (select id from newest)
     order by overrides_id, fingerprint, target_artifact, commit_sha, receipt desc)`,
);

const listReported = statement<{ org_id: string; trail_ids: readonly string[] }, ArtifactRow>(
  'list_reported_artifacts',
  `select distinct on (trail_id, fingerprint, template_name, commit_sha)
     id, trail_id, receipt, created_at, fingerprint, filename, template_name, commit_sha
   from artifact
   where org_id = :org_id and trail_id = any(:trail_ids::uuid[])
   order by trail_id, fingerprint, template_name, commit_sha, receipt desc`,
);

/** Returns the verdict on each trail now: never stored, so never outdated. */
export async function judgeTrails(ctx: Ctx, trails: readonly TrailToJudge[]): Promise<Map<string, Judgement>> {
  if (trails.length === 0) return new Map();
  const wanted = { org_id: ctx.org, trail_ids: [...new Set(trails.map((trail) => trail.id))] };
  const [templates, attestations, artifacts] = await Promise.all([
    readTemplates(
      ctx.db,
      ctx.org,
      trails.map((trail) => trail.template_id),
    ),
    listCounting(ctx.db, wanted),
    listReported(ctx.db, wanted),
  ]);
  return inSlices(ctx, judgeEach(ctx, trails, { templates, attestations, artifacts }));
}

interface Known {
  readonly templates: Awaited<ReturnType<typeof readTemplates>>;
  readonly attestations: readonly AttestationRow[];
  readonly artifacts: readonly ArtifactRow[];
}

function* judgeEach(
  ctx: Ctx,
  trails: readonly TrailToJudge[],
  { templates, attestations, artifacts }: Known,
): Generator<void, Map<string, Judgement>> {
  const attestationsOf = Map.groupBy(attestations, (row) => row.trail_id);
  const stored = storedRows(ctx.log, 'attestation');
  const artifactsOf = Map.groupBy(artifacts, (row) => row.trail_id);
  const judgements = new Map<string, Judgement>();
  for (const trail of trails) {
    const template = templates.get(trail.template_id)?.template.trail;
    if (!template) throw new Error(`the template of trail ${trail.id} is missing`);
    const judgement = judgeTrail({
      name: trail.name,
      template,
      autoCreated: trail.auto_created,
      attestations: (attestationsOf.get(trail.id) ?? []).map((row) => toAttestation(row, stored)),
      artifacts: (artifactsOf.get(trail.id) ?? []).map(toArtifact),
    });
    judgements.set(trail.id, judgement);
    yield;
  }
  return judgements;
}

export async function judgeOneTrail(ctx: Ctx, trail: TrailToJudge): Promise<Judgement> {
  const judgement = (await judgeTrails(ctx, [trail])).get(trail.id);
  if (!judgement) throw new Error(`trail ${trail.id} was not judged`);
  return judgement;
}

/** Returns the stored verdict. A damaged row is not compliant, whatever its other columns say. */
export function readVerdict(
  { id, verdict, is_compliant }: Pick<AttestationRow, 'id' | 'verdict' | 'is_compliant'>,
  stored: StoredRows,
): AttestationVerdictRow & { readonly isCompliant: boolean } {
  const parsed = stored.read<AttestationVerdictRow>(id, verdict, {});
  if (stored.isDamaged(id)) return { reasons: [UNREADABLE_ATTESTATION], isCompliant: false };
  return { ...parsed, isCompliant: is_compliant };
}

function toAttestation(row: AttestationRow, stored: StoredRows): Attestation {
  const verdict = readVerdict(row, stored);
  return {
    id: row.id,
    receipt: row.receipt,
    receivedAt: epochSeconds(row.created_at),
    name: row.name,
    type: row.type,
    isCompliant: verdict.isCompliant,
    target: targetOf(row),
    reasons: (row.overrides_id === null && verdict.isCompliant ? undefined : verdict.reasons) ?? [],
    overrides:
      row.overrides_id === null
        ? null
        : { id: row.overrides_id, type: row.counts_as, reason: verdict.override_reason ?? '' },
  };
}

export function targetOf(about: {
  fingerprint: string | null;
  target_artifact: string | null;
  commit_sha: string | null;
}): Target {
  if (about.fingerprint) return { kind: 'fingerprint', fingerprint: about.fingerprint };
  if (about.target_artifact) {
    return { kind: 'named', artifact: about.target_artifact, commit: about.commit_sha ?? '' };
  }
  return { kind: 'trail' };
}

function toArtifact(row: ArtifactRow): Artifact {
  return {
    id: row.id,
    receipt: row.receipt,
    reportedAt: epochSeconds(row.created_at),
    fingerprint: row.fingerprint,
    templateName: row.template_name,
    commit: row.commit_sha,
    filename: row.filename,
  };
}
