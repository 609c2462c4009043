import { placementOf } from '@waymark/compliance';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { batch, SHARED_LOCK_TIMEOUT_MS, watchBatch } from '../../platform/db/batch.ts';
import type { Db } from '../../platform/db/db.ts';
import { conflict, invalid, invalidField, type Problem, unavailable } from '../../platform/errors.ts';
import {
  claimedTime,
  type EvidenceClaim,
  findReceipt,
  isLate,
  type Receipt,
  sameReceipt,
} from '../../platform/evidence-receipt.ts';
import type { WatchQueue } from '../../platform/queue.metrics.ts';
import { createRecognition, type Recognition } from '../../platform/recognition.ts';
import { fromEpochSeconds } from '../../platform/time.ts';
import { readTemplate } from '../flows/template.reads.ts';
import { identityOf, readIdentity } from '../memberships/identity.reads.ts';
import { requireReason } from '../orgs/org.reads.ts';
import { forgetComponents, storeComponents } from '../readings/components.service.ts';
import { forgetReading, storeReading } from '../readings/reading.service.ts';
import { findUnchanged, rememberRepository } from '../repos/repo.service.ts';
import { targetOf } from '../trails/judgement.reads.ts';
import { ensureFlowAndTrail } from '../trails/trail.service.ts';
import * as store from './attestation.store.ts';
import type {
  AttestationDraft,
  AttestationReport,
  CompletePlace,
  Override,
  Placement,
  RecordedAttestation,
} from './attestation-draft.ts';
import { rowOf } from './attestation-row.ts';
import { requireRoom, requireRoomInTurn, slotKey } from './trail-ceiling.ts';
import type { EvidenceVerdict } from './verdict.ts';

/** Batches concurrent reports into shared statements; each report fails or succeeds alone. */
export interface Recorder {
  find(destination: store.Destination): Promise<store.AttestationPlace>;
  insert(attestation: store.NewAttestation): Promise<store.Insertion>;
  /** Slots that are known to exist. */
  readonly slots: Recognition;
}

/** Caches slots that are reported again and again. */
const SLOTS_KNOWN = 20_000;

export function createRecorder(db: Db, watch: WatchQueue): Recorder {
  const refusal = 'Too many attestations are waiting to be recorded';
  const places = batch<store.Destination, store.AttestationPlace>({
    run: (destinations) => store.findPlaces(db, destinations),
    shareOf: (destination) => destination.org_id,
    refusal,
  });
  const inserts = batch<store.NewAttestation, store.Insertion>({
    run: (attestations) => store.insertAttestations(db, attestations, SHARED_LOCK_TIMEOUT_MS),
    runAlone: (attestation) => store.insertAttestation(db, attestation),
    shareOf: (attestation) => attestation.org_id,
    bytesOf: ({ content, verdict, payload }) => content.length + verdict.length + payload.length,
    refusal,
  });
  watchBatch(watch, 'attestation_places', places);
  watchBatch(watch, 'attestations', inserts);
  return { find: places.send, insert: inserts.send, slots: createRecognition(SLOTS_KNOWN) };
}

/** Evidence that is judged and either not recorded yet, or was recorded before. */
export type PreparedAttestation =
  | {
      readonly kind: 'judged';
      readonly draft: AttestationDraft;
      readonly place: store.AttestationPlace;
      /** It needs a slot in a trail that may be full. */
      readonly isCrowding: boolean;
      readonly repositoryId: string | null | undefined;
    }
  | { readonly kind: 'recorded'; readonly recorded: RecordedAttestation };

/** Types of evidence of which rules ask who recorded it. To read that of all would slow down each report. */
const ASK_WHO: readonly string[] = ['decision', 'pull_request'];

/** Finds the destination of the evidence and judges it. Refuses what cannot be recorded; writes nothing. */
export async function prepareAttestation(
  ctx: Ctx,
  recorder: Recorder,
  report: AttestationReport,
): Promise<PreparedAttestation> {
  const destination = destinationOf(ctx, recorder, report);
  const claimedAt = claimedTime(ctx, report.claimedAt);
  const place = await recorder.find(destination);
  const earlier = earlierOf(report.claim, place);
  if (earlier) return { kind: 'recorded', recorded: fromReceipt(earlier) };
  checkTarget(report, destination, place);
  if (report.override) await requireReason(ctx, report.override.reason, 'reason');
  const isCrowding =
    place.is_crowded &&
    place.trail_id !== null &&
    (await requireRoom(ctx, slotOf(report, destination), place.trail_id));
  const overridden = report.override && (await findOverridden(ctx, report, report.override, destination, place));
  const verdict = await report.judge(ctx, { name: report.sent.attestation_name, place, destination });
  const asksWho = ASK_WHO.includes(report.override?.type ?? report.type);
  const recordedBy = asksWho ? await readIdentity(ctx) : identityOf(ctx);
  const draft = { report, destination, verdict, overridden, claimedAt, recordedBy };
  const { repo_info: repo } = report.sent;
  const repositoryId = repo ? await findUnchanged(ctx.db, ctx.org, repo) : null;
  return { kind: 'judged', draft, place, isCrowding, repositoryId };
}

/** Records a draft. A repeat under the same evidence id gets the same reply. */
export async function recordAttestation(
  ctx: Ctx,
  recorder: Recorder,
  prepared: PreparedAttestation,
): Promise<RecordedAttestation> {
  if (prepared.kind === 'recorded') return prepared.recorded;
  const recorded = await recordJudged(ctx, recorder, prepared);
  const { report, destination } = prepared.draft;
  if (destination.is_new_slot && !ctx.db.isTransaction) recorder.slots.add(slotKey(slotOf(report, destination)));
  return recorded;
}

async function recordJudged(
  ctx: Ctx,
  recorder: Recorder,
  { draft, place, isCrowding, repositoryId }: Extract<PreparedAttestation, { kind: 'judged' }>,
): Promise<RecordedAttestation> {
  const isPlain = repositoryId !== undefined && !draft.verdict.components && !draft.verdict.reading && !isCrowding;
  if (isComplete(place) && isPlain && !ctx.db.isTransaction) {
    return write(ctx, draft, place, repositoryId, (row) => recorder.insert(row));
  }
  return inTransaction(ctx, async (ctx) => {
    if (isCrowding && isComplete(place)) await requireRoomInTurn(ctx, slotOf(draft.report, draft.destination), place);
    return recordWithPlace(ctx, draft, place);
  });
}

function isComplete(place: store.AttestationPlace): place is store.AttestationPlace & CompletePlace {
  return place.trail_id !== null;
}

/** A flow, a trail, a repository, components or a reading have to be written too. */
async function recordWithPlace(
  ctx: Ctx,
  draft: AttestationDraft,
  known: store.AttestationPlace,
): Promise<RecordedAttestation> {
  const { report, verdict } = draft;
  const place = isComplete(known) ? known : await makePlace(ctx, report);
  requireJudgedTemplate(verdict, place);
  const { repo_info: repo } = report.sent;
  const repositoryId = repo ? await rememberRepository(ctx, repo) : null;
  return write(ctx, draft, place, repositoryId, async (row) => {
    // The evidence id comes last: a repeat of it waits for this transaction, and there may be many components.
    if (verdict.components) await storeComponents(ctx, row.id, row, verdict.components);
    const { id: attestationId, flow_id: flowId } = row;
    if (verdict.reading) await storeReading(ctx, { attestationId, flowId }, verdict.reading);
    const inserted = await store.insertAttestation(ctx.db, row);
    if (inserted.kind !== 'recorded') {
      await forgetComponents(ctx, row.id);
      await forgetReading(ctx, row.id);
    }
    return inserted;
  });
}

/** The trail may begin with a template that the flow did not have when the evidence was judged. */
function requireJudgedTemplate({ judgedTemplate }: EvidenceVerdict, place: CompletePlace): void {
  if (judgedTemplate === undefined || judgedTemplate === place.template_id) return;
  if (judgedTemplate === null && place.auto_created) return;
  throw unavailable(`The template of flow '${place.flow_name}' changed while the evidence was judged. Send it again`);
}

async function makePlace(ctx: Ctx, { flowName, trailName }: AttestationReport): Promise<CompletePlace> {
  const { flow, trail } = await ensureFlowAndTrail(ctx, flowName, trailName);
  return {
    flow_id: flow.id,
    flow_name: flow.name,
    trail_id: trail.id,
    trail_receipt: trail.receipt,
    template_id: trail.template_id,
    has_artifact: false,
    auto_created: trail.auto_created,
  };
}

async function write(
  ctx: Ctx,
  draft: AttestationDraft,
  place: CompletePlace,
  repositoryId: string | null,
  insert: (row: store.NewAttestation) => Promise<store.Insertion>,
): Promise<RecordedAttestation> {
  const placement = await placementIn(ctx, draft.destination, place);
  const id = ctx.newId();
  const recorded = { id, placement, text: answerOf(draft, place, placement) };
  const { claim, sent } = draft.report;
  const inserted = await insert(rowOf(ctx, draft, place, repositoryId, recorded));
  if (inserted.kind === 'recorded') return recorded;
  // The same override may have been recorded meanwhile, before the newer report arrived.
  const earlier = claim && (await findReceipt(ctx, claim));
  if (earlier) return fromReceipt(earlier);
  if (inserted.kind === 'refused') throw newerReport(sent.attestation_name, inserted.newerId);
  throw new Error('an attestation was neither recorded nor refused');
}

function newerReport(name: string, newerId: string): Problem {
  return conflict(
    `The override was not recorded: a newer report under '${name}' has arrived, attestation ${newerId}. ` +
      'Review it, then override that one.',
  );
}

function destinationOf(ctx: Ctx, recorder: Recorder, report: AttestationReport): store.Destination {
  const { flowName, trailName, sent, claim } = report;
  const fingerprint = sent.artifact_fingerprint ?? null;
  const target = sent.target_artifacts?.[0] ?? null;
  const commit = sent.git_commit_info?.sha1 ?? null;
  if (target && !fingerprint && !commit) {
    throw invalidField('target_artifacts', 'requires git_commit_info or artifact_fingerprint to identify the build');
  }
  const destination = {
    org_id: ctx.org,
    flow_name: flowName,
    trail_name: trailName,
    fingerprint,
    target_artifact: target,
    commit_sha: commit,
    evidence_id: claim?.evidenceId ?? null,
  };
  // An override is about an existing slot.
  const isNewSlot = !report.override && !recorder.slots.has(slotKey(slotOf(report, destination)));
  return { ...destination, is_new_slot: isNewSlot };
}

function slotOf({ sent, type }: AttestationReport, destination: Omit<store.Destination, 'is_new_slot'>) {
  return { name: sent.attestation_name, type, destination };
}

function earlierOf(claim: EvidenceClaim | undefined, place: store.AttestationPlace): Receipt | undefined {
  const { earlier_id: subjectId, earlier_digest: digest, earlier_answer: answer } = place;
  if (!claim || subjectId === null || digest === null || answer === null) return undefined;
  return sameReceipt(claim, { subjectId, digest, answer });
}

function checkTarget(
  report: AttestationReport,
  { fingerprint }: store.Destination,
  place: store.AttestationPlace,
): void {
  if (!fingerprint || place.has_artifact) return;
  const reason = `artifact ${fingerprint} was not reported in trail '${report.trailName}'`;
  throw invalidField('artifact_fingerprint', reason);
}

async function findOverridden(
  ctx: Ctx,
  report: AttestationReport,
  { type, attestationId }: Override,
  { fingerprint, target_artifact, commit_sha }: store.Destination,
  { trail_id }: store.AttestationPlace,
) {
  const { sent, trailName, claimedAt } = report;
  const about = {
    org_id: ctx.org,
    name: sent.attestation_name,
    counts_as: type,
    fingerprint,
    target_artifact,
    commit_sha,
  };
  const found =
    trail_id === null
      ? undefined
      : await store.findOverridable(ctx.db, { ...about, trail_id, attestation_id: attestationId });
  if (!found) throw nothingToOverride(about.name, type, trailName, attestationId);
  // An override that was queued while the service was down cannot refer to what arrived since.
  const isUnseen = claimedAt !== undefined && isLate(found.created_at, fromEpochSeconds(claimedAt));
  if (attestationId === null && isUnseen) throw newerReport(about.name, found.id);
  return found;
}

function nothingToOverride(name: string, type: string, trailName: string, attestationId: string | null): Problem {
  if (attestationId !== null) {
    const about = `name '${name}', type ${type} and this target in trail '${trailName}'`;
    return invalidField('attestation_id', `${attestationId} is not an attestation of ${about}`);
  }
  const reason = `no attestation '${name}' of type ${type} with this target exists in trail '${trailName}'`;
  return invalid(`There is nothing to override: ${reason}`, { attestation_name: reason });
}

async function placementIn(ctx: Ctx, destination: store.Destination, place: CompletePlace): Promise<Placement> {
  const target = targetOf(destination);
  if (target.kind !== 'named' || place.has_artifact) return 'bound';
  const { template } = await readTemplate(ctx.db, ctx.org, place.template_id);
  return placementOf(target, template.trail, []).state;
}

function answerOf(
  { report, destination, verdict }: AttestationDraft,
  place: CompletePlace,
  placement: Placement,
): string {
  const made = place.auto_created
    ? ` of flow '${place.flow_name}', which was created automatically and requires nothing`
    : '';
  const recorded = `Attestation '${report.sent.attestation_name}' recorded in trail '${report.trailName}'${made}`;
  const judged = verdict.isCompliant
    ? ['compliant', verdict.remark].filter(Boolean).join('. ')
    : `not compliant. ${verdict.reasons.join(' ')}`;
  if (placement === 'bound') return `${recorded}: ${judged}`;
  const where =
    placement === 'pending'
      ? `waiting for artifact '${destination.target_artifact}' of commit ${destination.commit_sha}`
      : `the template has no artifact '${destination.target_artifact}'`;
  return `${recorded} (${placement}: ${where}): ${judged}`;
}

function fromReceipt({ subjectId, answer }: Receipt): RecordedAttestation {
  const at = answer.indexOf(' ');
  return { id: subjectId, placement: answer.slice(0, at) as Placement, text: answer.slice(at + 1) };
}
