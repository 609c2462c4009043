import { type ArtifactStatus, type Judgement, statusOfArtifact } from '@waymark/compliance';
import type {
  ArtifactEvidence,
  AttestationEvidence,
  ChangedBy,
  FlowEvidence,
  RecordedBy,
  TrustLevel,
} from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { type StoredRows, storedRows } from '../../platform/stored-json.ts';
import { epochSeconds } from '../../platform/time.ts';
import type { ArtifactReport, Provenance } from '../provenance/provenance.reads.ts';
import { DECIDING_VERDICT, judgeTrails, readVerdict } from '../trails/judgement.reads.ts';
import { readTrustedSigners, type TrustedSigners } from '../trust/trust.reads.ts';
import { readChangedBy } from './changed-by.reads.ts';
import { issuesOf, type SentIssues } from './issues.ts';
import { pullRequestsOf, type SentPullRequests } from './pull-requests.ts';
import { type StoredReading, statementsNow } from './statements.ts';

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
  readonly reading_id: string | null;
  readonly reading_size: number | null;
  readonly flow_id: string;
  readonly has_workload: boolean;
  /** Of a signed statement: what was read of it. */
  readonly stated: string | null;
  readonly issues: string | null;
  /** Of decisions and pull requests: who recorded it, if that was recorded. */
  readonly recorder: string | null;
  /** Of an SBOM. */
  readonly licenses: string | null;
}

const listAttestations = statement<{ org_id: string; ids: readonly string[] }, AttestationRow>(
  'list_evidence_attestations',
  `select id, name, counts_as, is_compliant, created_at, overrides_id, trust, control,
     ${DECIDING_VERDICT},
     case when type = 'pull_request' then content end as pull_requests,
     case when type = 'jira' then content end as issues, reading.reading_id, reading.size as reading_size,
     flow_id, workload is not null as has_workload,
     case when counts_as in ('decision', 'pull_request') then recorder end as recorder,
     case when counts_as = 'in_toto' then (
       select json_build_object('signed_by', read -> 'signed_by', 'statements', read -> 'statements')::text
       from (
         select readable_json(report.verdict) -> 'read' as read from attestation as report
         where report.org_id = :org_id and report.id = coalesce(attestation.overrides_id, attestation.id)
       ) as recorded
     ) end as stated,
     case when counts_as = 'sbom' then (
       select readable_json(report.verdict) #>> '{read,licenses}' from attestation as report
       where report.org_id = :org_id and report.id = coalesce(attestation.overrides_id, attestation.id)
     ) end as licenses
   from attestation
   left join attestation_reading as reading
     on reading.org_id = attestation.org_id and reading.attestation_id = attestation.id
   where attestation.org_id = :org_id and id = any(:ids::uuid[])`,
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
  // Who changed what was built is compared with identities, so nothing is added to evidence from before those.
  const isCompared = (_: unknown, i: number) =>
    states[i]?.attestationIds.some((id) => attestations.get(id)?.recordedBy !== undefined);
  const changes = await readChangedBy(ctx, reports.filter(isCompared));
  return new Map(
    reports.flatMap((report, i) => {
      const [trail, state] = [trailOf.get(report.trail_id), states[i]];
      return trail && state ? [[report, toFlowEvidence(report, trail, state, { attestations, changes })]] : [];
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

/** Returns attestations as evidence, by id. */
export async function readAttestations(ctx: Ctx, ids: readonly string[]): Promise<Map<string, AttestationEvidence>> {
  if (ids.length === 0) return new Map();
  const rows = await listAttestations(ctx.db, { org_id: ctx.org, ids: [...new Set(ids)] });
  const stored = storedRows(ctx.log, 'attestation');
  const isSigned = rows.some(({ stated }) => stated !== null);
  const trusted: TrustedSigners = isSigned ? await readTrustedSigners(ctx.db, ctx.org) : new Map();
  return new Map(rows.map((row) => [row.id, toAttestationEvidence(row, stored, trusted)]));
}

interface ReadEvidence {
  readonly attestations: ReadonlyMap<string, AttestationEvidence>;
  /** By the id of the report. */
  readonly changes: ReadonlyMap<string, ChangedBy>;
}

function toFlowEvidence(
  report: ArtifactReport,
  trail: TrailRow,
  { attestationIds, ...states }: TrailState,
  { attestations, changes }: ReadEvidence,
): FlowEvidence {
  const counting = attestationIds.flatMap((id) => attestations.get(id) ?? []);
  const isSigned = counting.some(({ statements }) => statements !== undefined);
  const changedBy = changes.get(report.id);
  return {
    flow: { id: trail.flow_id, name: trail.flow_name, tags: trail.tags },
    trail: { id: trail.id, name: trail.name },
    artifactId: report.id,
    ...(report.platform !== undefined && {
      index: { fingerprint: report.fingerprint, platform: report.platform },
    }),
    ...states,
    ...(changedBy && { changedBy }),
    ...(isSigned && report.commit_sha !== null && { commit: report.commit_sha }),
    attestations: counting,
  };
}

/** Unreadable pull requests count as none, so the attestation proves nothing. */
function toAttestationEvidence(row: AttestationRow, stored: StoredRows, trusted: TrustedSigners): AttestationEvidence {
  const sent = stored.read<SentPullRequests>(row.id, row.pull_requests, {});
  const recordedBy = stored.read<RecordedBy | null>(row.id, row.recorder, null);
  const issues = issuesOf(stored.read<SentIssues>(row.id, row.issues, {}));
  const verdict = readVerdict(row, stored);
  const because = verdict.reasons ?? (verdict.override_reason ? [verdict.override_reason] : []);
  const isOverride = row.overrides_id !== null;
  const { statements, withdrawn } = statementsNow(
    stored.read<StoredReading>(row.id, row.stated, {}),
    row.flow_id,
    trusted,
  );
  const licenses = stored.read<AttestationEvidence['licenses'] | null>(row.id, row.licenses, null);
  // An override takes responsibility, also for who signed.
  const isCompliant = verdict.isCompliant && (isOverride || withdrawn === undefined);
  return {
    id: row.id,
    name: row.name,
    type: row.counts_as,
    isCompliant,
    at: epochSeconds(row.created_at),
    isOverride,
    reasons: isCompliant ? [] : [...because, ...(withdrawn ?? [])],
    trust: row.trust === 'signature' && withdrawn ? withoutSignature(row) : row.trust,
    control: row.control,
    pullRequests: row.pull_requests === null ? null : pullRequestsOf(sent, recordedBy !== null),
    ...namedReading(row),
    ...(licenses && { licenses }),
    ...(statements && { statements }),
    ...(issues && { issues }),
    ...(recordedBy && { recordedBy }),
  };
}

/** The types whose readings are the statements of VEX documents. Of others they are findings. */
const VEX_TYPES = ['vex', 'in_toto'];

function namedReading({ counts_as: type, reading_id: set, reading_size: size }: AttestationRow) {
  if (set === null) return {};
  return { [VEX_TYPES.includes(type) ? 'vex' : 'findings']: { set, count: size ?? 0 } };
}

function withoutSignature({ has_workload }: AttestationRow): TrustLevel {
  return has_workload ? 'workload_identity' : 'api_key';
}
