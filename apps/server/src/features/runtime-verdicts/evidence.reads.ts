import type { ArtifactStatus, Judgement } from '@waymark/compliance';
import type { ArtifactEvidence, AttestationEvidence, FlowEvidence, TrustLevel } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { type StoredRows, storedRows } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import type { ArtifactReport, Provenance } from '../provenance/provenance.reads.ts';
import { DECIDING_VERDICT, judgeTrails, readVerdict, statusOfArtifact } from '../trails/judgement.reads.ts';
import { pullRequestsOf, type SentPullRequests } from './pull-requests.ts';

interface TrailRow {
  readonly id: string;
  readonly name: string;
  readonly template_id: string;
  readonly auto_created: boolean;
  readonly flow_id: string;
  readonly flow_name: string;
  readonly tags: Readonly<Record<string, string>>;
}

const listTrails = statement<{ org_id: string; ids: readonly string[] }, TrailRow>(
  'list_evidence_trails',
  `select trail.id, trail.name, trail.template_id, trail.auto_created, trail.flow_id, flow.name as flow_name,
     coalesce((select jsonb_object_agg(key, value) from tag
       where tag.org_id = :org_id and subject_kind = 'flow' and subject_id = flow.id), '{}') as tags
   from trail join flow on flow.org_id = trail.org_id and flow.id = trail.flow_id
   where trail.org_id = :org_id and trail.id = any(:ids::uuid[])`,
);

interface AttestationRow {
  readonly id: string;
  readonly name: string;
  readonly counts_as: string;
  readonly is_compliant: boolean;
  readonly created_at: Date;
  readonly overrides_id: string | null;
  readonly verdict: string | null;
  readonly trust: TrustLevel;
  readonly control: string | null;
  readonly pull_requests: string | null;
}

const listAttestations = statement<{ org_id: string; ids: readonly string[] }, AttestationRow>(
  'list_evidence_attestations',
  `select id, name, counts_as, is_compliant, created_at, overrides_id, trust, control,
     ${DECIDING_VERDICT},
     case when type = 'pull_request' then content end as pull_requests
   from attestation where org_id = :org_id and id = any(:ids::uuid[])`,
);

/** Beyond this some reports are not judged, and the artifact is not compliant. */
const FLOWS_JUDGED = 1_000;

/** Returns the evidence about each artifact now, from the newest report in each flow. */
export async function readEvidence(
  ctx: Ctx,
  provenanceOf: ReadonlyMap<string, Provenance>,
): Promise<Map<string, ArtifactEvidence>> {
  if (provenanceOf.size === 0) return new Map();
  const flowOf = await readFlowEvidence(ctx, [...new Set(Array.from(provenanceOf.values(), judgedReports).flat())]);
  const flowsOf = (reports: readonly ArtifactReport[]) =>
    reports.slice(0, FLOWS_JUDGED).flatMap((report) => flowOf.get(report) ?? []);
  return new Map(
    Array.from(provenanceOf, ([fingerprint, { reports, platforms, listedIn }]) => [
      fingerprint,
      {
        fingerprint,
        flows: flowsOf(reports),
        ...([{ reports }, ...platforms].some(({ reports }) => reports.length > FLOWS_JUDGED) && {
          isCut: true as const,
        }),
        ...(listedIn && { listedIn }),
        ...(platforms.length > 0 && {
          platforms: platforms.map(({ platform, fingerprint, reports }) => {
            return { platform, fingerprint, flows: flowsOf(reports) };
          }),
        }),
      },
    ]),
  );
}

function judgedReports({ reports, platforms }: Provenance): readonly ArtifactReport[] {
  return [{ reports }, ...platforms].flatMap(({ reports }) => reports.slice(0, FLOWS_JUDGED));
}

/** Returns the state of each report's artifact in its trail, and the attestations that count there. */
async function readFlowEvidence(
  ctx: Ctx,
  reports: readonly ArtifactReport[],
): Promise<Map<ArtifactReport, FlowEvidence>> {
  if (reports.length === 0) return new Map();
  const trails = await listTrails(ctx.db, {
    org_id: ctx.org,
    ids: [...new Set(reports.map((report) => report.trail_id))],
  });
  const trailOf = new Map(trails.map((trail) => [trail.id, trail]));
  const stateIn = await readTrailStates(ctx, trails, reports);
  const states = reports.map((report) => {
    const state = stateIn.get(report);
    if (!state) throw new Error(`the trail of artifact ${report.id} is missing`);
    return state;
  });
  const attestations = await readAttestations(
    ctx,
    states.flatMap(({ attestationIds }) => attestationIds),
  );
  return new Map(
    reports.flatMap((report, i) => {
      const [trail, state] = [trailOf.get(report.trail_id), states[i]];
      return trail && state ? [[report, toFlowEvidence(report, trail, state, attestations)]] : [];
    }),
  );
}

/** A judgement explains everything in the trail, which can be large, and little of it is needed here. */
const BATCH_SIZE = 50;

async function readTrailStates(
  ctx: Ctx,
  trails: readonly TrailRow[],
  reports: readonly ArtifactReport[],
): Promise<Map<ArtifactReport, TrailState>> {
  const inTrail = Map.groupBy(reports, (report) => report.trail_id);
  const states = new Map<ArtifactReport, TrailState>();
  for (let from = 0; from < trails.length; from += BATCH_SIZE) {
    for (const [trailId, judgement] of await judgeTrails(ctx, trails.slice(from, from + BATCH_SIZE))) {
      for (const report of inTrail.get(trailId) ?? []) states.set(report, stateOf(report, judgement));
    }
  }
  return states;
}

interface TrailState extends Pick<FlowEvidence, 'status' | 'because' | 'fix'> {
  readonly attestationIds: readonly string[];
}

const BEST_TO_WORST: readonly ArtifactStatus['status'][] = ['COMPLIANT', 'INCOMPLETE', 'MISSING', 'NON-COMPLIANT'];

/**
 * Returns the state of an artifact in its trail, and the attestations that count there: its own and those of the trail.
 * An artifact reported under several names has the worst of their states, as each name is required separately.
 */
function stateOf(report: ArtifactReport, judgement: Judgement): TrailState {
  const deciding = judgement.artifacts.filter((artifact) => {
    return artifact.fingerprint === report.fingerprint && !artifact.superseded;
  });
  const [first, ...others] = deciding.length > 0 ? deciding : [statusOfArtifact(judgement, report)];
  if (!first) throw new Error(`artifact ${report.id} was not judged`);
  const worst = others.reduce((worst, other) => (badnessOf(other) > badnessOf(worst) ? other : worst), first);
  const ids = [judgement.evidence, first.evidence, ...others.map(({ evidence }) => evidence)].flat();
  return {
    status: worst.status === 'MISSING' ? 'INCOMPLETE' : worst.status,
    because: worst.explanation.because,
    fix: worst.explanation.fix,
    attestationIds: [...new Set(ids)],
  };
}

function badnessOf({ status }: ArtifactStatus): number {
  return BEST_TO_WORST.indexOf(status);
}

async function readAttestations(ctx: Ctx, ids: readonly string[]): Promise<Map<string, AttestationEvidence>> {
  if (ids.length === 0) return new Map();
  const rows = await listAttestations(ctx.db, { org_id: ctx.org, ids: [...new Set(ids)] });
  const stored = storedRows(ctx.log, 'attestation');
  return new Map(rows.map((row) => [row.id, toAttestationEvidence(row, stored)]));
}

function toFlowEvidence(
  report: ArtifactReport,
  trail: TrailRow,
  { attestationIds, ...states }: TrailState,
  attestations: ReadonlyMap<string, AttestationEvidence>,
): FlowEvidence {
  return {
    flow: { id: trail.flow_id, name: trail.flow_name, tags: trail.tags },
    trail: { id: trail.id, name: trail.name },
    artifactId: report.id,
    ...(report.platform !== undefined && {
      index: { fingerprint: report.fingerprint, platform: report.platform },
    }),
    ...states,
    attestations: attestationIds.flatMap((id) => attestations.get(id) ?? []),
  };
}

/** Unreadable pull requests count as none, so the attestation proves nothing. */
function toAttestationEvidence(row: AttestationRow, stored: StoredRows): AttestationEvidence {
  const sent = stored.read<SentPullRequests>(row.id, row.pull_requests, {});
  const verdict = readVerdict(row, stored);
  const because = verdict.reasons ?? (verdict.override_reason ? [verdict.override_reason] : []);
  return {
    id: row.id,
    name: row.name,
    type: row.counts_as,
    isCompliant: verdict.isCompliant,
    at: epochSeconds(row.created_at),
    isOverride: row.overrides_id !== null,
    reasons: verdict.isCompliant ? [] : because,
    trust: row.trust,
    control: row.control,
    pullRequests: row.pull_requests === null ? null : pullRequestsOf(sent),
  };
}
