import { hash } from 'node:crypto';
import { type ArtifactInput, TRAIL_ARTIFACTS_MAX } from '@waymark/contract';
import canonicalize from 'canonicalize';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { claimedTime, claimReceipt, type EvidenceClaim, findReceipt } from '../../platform/evidence-receipt.ts';
import { emit } from '../../platform/journal/journal.ts';
import { present } from '../../platform/present.ts';
import { findFlowByName } from '../flows/flow.service.ts';
import { recordImageClaim } from '../provenance/image.service.ts';
import { imageClaimOf } from '../provenance/image-claim.service.ts';
import { rememberRepository } from '../repos/repo.service.ts';
import { ensureTrail, lockTrail, recordCommit } from '../trails/trail.service.ts';
import { artifactReported } from './artifact.entries.ts';
import * as store from './artifact.store.ts';

export interface NewArtifactReport {
  readonly flowName: string;
  readonly input: ArtifactInput;
  readonly claim: EvidenceClaim | undefined;
  readonly claimedAt: number | undefined;
}

/** Records a report of an artifact, and begins its trail if needed. A repeat gets the same reply. */
export function reportArtifact(ctx: Ctx, report: NewArtifactReport): Promise<string> {
  const { input, claim } = report;
  const commit = input.git_commit ?? input.git_commit_info?.sha1 ?? null;
  const trailName = input.trail_name ?? commit ?? input.fingerprint;
  const content = canonicalize(present(input)) ?? '';
  const claimedAt = claimedTime(ctx, report.claimedAt);
  const image = imageClaimOf(input.fingerprint, input.annotations ?? {});
  return inTransaction(ctx, async (ctx) => {
    // Even if the flow is gone by now: a repeat gets the first reply.
    const answered = claim && (await findReceipt(ctx, claim));
    if (answered) return answered.answer;
    const flow = await findFlowByName(ctx, report.flowName);
    if (!flow) throw notFound('Flow', report.flowName);
    await lockTrail(ctx, flow, trailName);
    const id = ctx.newId();
    const answer = `Artifact '${input.filename}' reported in trail '${trailName}'`;
    const earlier = claim && (await claimReceipt(ctx, claim, { subjectId: id, answer }));
    if (earlier) return earlier.answer;
    const trail = await ensureTrail(ctx, flow, trailName);
    await requireRoom(ctx, trail, input, commit);
    const repositoryId = input.repo_info ? await rememberRepository(ctx, input.repo_info) : null;
    const receipt = await store.insertArtifact(ctx.db, {
      ...columnsOf(input),
      org_id: ctx.org,
      id,
      flow_id: flow.id,
      trail_id: trail.id,
      commit_sha: commit,
      repository_id: repositoryId,
      content,
      created_at: ctx.now(),
      claimed_at: claimedAt,
      created_by: ctx.actor.name,
    });
    if (image) await recordImageClaim(ctx, image, receipt);
    if (commit) await recordCommit(ctx, trail, commit);
    const payload = {
      flow: flow.name,
      trail: trail.name,
      fingerprint: input.fingerprint,
      filename: input.filename,
      build_url: input.build_url,
      content_sha256: hash('sha256', content),
      receipt,
      ...present({
        template_name: input.template_reference_name,
        commit,
        evidence_id: claim?.evidenceId,
        claimed_at: report.claimedAt,
      }),
    };
    await emit(ctx, artifactReported, { kind: 'artifact', id, seq: 1 }, payload);
    return answer;
  });
}

/** Reports into the trail wait for its lock, so that nobody else takes the last slot meanwhile. */
async function requireRoom(
  ctx: Ctx,
  trail: { readonly id: string; readonly name: string },
  { fingerprint, template_reference_name: templateName }: ArtifactInput,
  commit: string | null,
): Promise<void> {
  const about = { fingerprint, template_name: templateName ?? null, commit_sha: commit };
  if (!(await store.isFull(ctx.db, { org_id: ctx.org, trail_id: trail.id, ...about }))) return;
  const most = TRAIL_ARTIFACTS_MAX.toLocaleString('en');
  throw invalidField(
    'fingerprint',
    `is one too many: trail '${trail.name}' has ${most} artifacts, which is the maximum. Use another trail, such ` +
      'as one for each build',
  );
}

function columnsOf(input: ArtifactInput) {
  return {
    fingerprint: input.fingerprint,
    filename: input.filename,
    template_name: input.template_reference_name ?? null,
    branch: input.git_commit_info?.branch ?? input.commits_list?.[0]?.branch ?? null,
    build_url: input.build_url,
    commit_url: input.commit_url,
    repo_url: input.repo_url ?? '',
  };
}
