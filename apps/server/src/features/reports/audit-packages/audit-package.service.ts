import { ENGINE_VERSION } from '@waymark/compliance';
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { unavailable } from '../../../platform/errors.ts';
import type { FileAnswer } from '../../../platform/http/file-reply.ts';
import type { WitnessPolicy } from '../../../platform/ledger/witness-policy.ts';
import { requireStored, wholeRows } from '../../../platform/stored-json.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { readArtifact } from '../../artifacts/artifact.reads.ts';
import { readOfTrail } from '../../attestations/attestation.reads.ts';
import { readTemplate } from '../../flows/template.reads.ts';
import { judgeOneTrail } from '../../trails/judgement.reads.ts';
import { findTrailByName, readTrail } from '../../trails/trail.reads.ts';
import { listTrailEvents } from '../../trails/trail-events.reads.ts';
import { toTrail } from '../../trails/trail-view.ts';
import { archive } from './archive.ts';
import { trailIdentity } from './evidence-records.ts';
import { readExportProvenance } from './export-provenance.reads.ts';
import { type Export, packageFiles } from './package-files.ts';
import { findPackageLedger, ledgerFacts } from './package-ledger.ts';
import { listSubjects } from './package-subjects.reads.ts';
import {
  type Attachment,
  atOneMoment,
  type PackageScope,
  readArtifactScope,
  readAttestationScope,
  readTrailScope,
} from './scope.reads.ts';

const SCHEMA_VERSION = 2;
const MAX_CONCURRENT_STATS = 16;

export interface PackageSource {
  readonly org: string;
  readonly publicUrl: string;
  readonly blobs: BlobStore;
  readonly witnesses: WitnessPolicy;
}

export async function packTrail(
  ctx: Ctx,
  source: PackageSource,
  flowName: string,
  trailName: string,
): Promise<FileAnswer> {
  const exported = await readTrailExport(ctx, source, flowName, trailName);
  const { flowName: flow, trailName: name } = exported.place;
  return packed(ctx, source, exported, { kind: 'trail', flow_name: flow, name }, `trail-${flow}-${name}`);
}

/** Everything in a report about the trail, as of one moment. */
export function readTrailExport(
  ctx: Ctx,
  source: Pick<PackageSource, 'org' | 'publicUrl'>,
  flowName: string,
  trailName: string,
): Promise<Export> {
  return atOneMoment(ctx, async (ctx): Promise<Export> => {
    const view = await readTrail(ctx, flowName, trailName);
    const evaluatedAt = epochSeconds(ctx.now());
    const newest = await listTrailEvents(ctx, view.trail.id, 1);
    const { events: _, ...trail } = toTrail(view, newest, { ...source, evaluatedAt }, wholeRows('trail'));
    const { judgement, template } = view;
    return {
      title: `Trail ${view.trail.name} of flow ${view.flow.name}`,
      place: { ...source, flowName: view.flow.name, trailName: view.trail.name },
      trail,
      provenance: await readExportProvenance(ctx, view.trail, view.trail, view.repositoryIds),
      verdict: { status: judgement.status, because: judgement.explanation.because },
      explanation: judgement.explanation,
      template,
      judged: { judgement, templateId: template.id, evaluatedAt },
      scope: await readTrailScope(ctx, view.trail.id),
      subjects: await listSubjects(ctx, view),
    };
  });
}

/** The newest report of the artifact in the flow, with the evidence about it in the trail of that report. */
export async function packArtifact(
  ctx: Ctx,
  source: PackageSource,
  flowName: string,
  prefix: string,
): Promise<FileAnswer> {
  const { exported, fingerprint } = await atOneMoment(ctx, async (ctx) => {
    const artifact = await readArtifact(ctx, flowName, prefix);
    const { trail, flow } = await findTrailByName(ctx, flowName, artifact.trail_name);
    const { judgement, status, template_id: templateId } = artifact;
    const place = { ...source, flowName: artifact.flow_name, trailName: artifact.trail_name };
    const exported: Export = {
      title: `Artifact ${artifact.fingerprint} of flow ${artifact.flow_name}`,
      place,
      trail: trailIdentity(trail, place),
      provenance: await readExportProvenance(ctx, trail, artifact, [artifact.repository_id ?? trail.repository_id]),
      artifact: status,
      verdict: { status: status.status, because: status.explanation.because },
      explanation: status.explanation,
      template: await readTemplate(ctx.db, ctx.org, templateId),
      judged: { judgement, templateId, evaluatedAt: epochSeconds(ctx.now()) },
      scope: await readArtifactScope(ctx, trail.id, artifact.fingerprint),
      subjects: await listSubjects(ctx, { trail, flow }),
    };
    return { exported, fingerprint: artifact.fingerprint };
  });
  const { flowName: flow, trailName: trail } = exported.place;
  const subject = { kind: 'artifact', flow_name: flow, trail_name: trail, fingerprint };
  return packed(ctx, source, exported, subject, `artifact-${flow}-${fingerprint.slice(0, 12)}`);
}

export async function packAttestation(
  ctx: Ctx,
  source: PackageSource,
  flowName: string,
  trailName: string,
  id: string,
): Promise<FileAnswer> {
  const exported = await atOneMoment(ctx, async (ctx): Promise<Export> => {
    const row = await readOfTrail(ctx, flowName, trailName, id);
    const { trail, flow } = await findTrailByName(ctx, flowName, trailName);
    const { reasons } = requireStored<{ reasons: string[] }>('attestation', row.id, row.verdict);
    const place = { ...source, flowName: row.flow_name, trailName: row.trail_name };
    return {
      title: `Attestation ${row.name} of trail ${row.trail_name}`,
      place,
      trail: trailIdentity(trail, place),
      provenance: await readExportProvenance(ctx, trail, trail, [row.repository_id ?? trail.repository_id]),
      judged: {
        judgement: await judgeOneTrail(ctx, trail),
        templateId: trail.template_id,
        evaluatedAt: epochSeconds(ctx.now()),
      },
      verdict: { status: row.is_compliant ? 'COMPLIANT' : 'NON-COMPLIANT', because: reasons.join(' ') },
      scope: await readAttestationScope(ctx, trail.id, row.id),
      subjects: await listSubjects(ctx, { trail, flow, attestationId: row.id }),
    };
  });
  const { flowName: flow, trailName: trail } = exported.place;
  const subject = { kind: 'attestation', flow_name: flow, trail_name: trail, attestation_id: id };
  return packed(ctx, source, exported, subject, `attestation-${id}`);
}

async function packed(
  ctx: Ctx,
  source: PackageSource,
  exported: Export,
  subject: Readonly<Record<string, string>>,
  name: string,
): Promise<FileAnswer> {
  await requireAttachments(ctx, source.blobs, exported.scope);
  const ledger = await findPackageLedger(ctx, source.witnesses, exported.subjects);
  const manifest = {
    schema_version: SCHEMA_VERSION,
    subject: { org: source.org, ...subject },
    exported_at: exported.judged.evaluatedAt,
    exported_by: { kind: ctx.actor.kind, name: ctx.actor.name },
    exported_from: source.publicUrl,
    judged_by: { compliance: ENGINE_VERSION },
    ledger: ledgerFacts(ledger),
  };
  const open = async (attachment: Attachment) => {
    const blob = await source.blobs.open(ctx.org, attachment.sha256);
    if (!blob) throw missing(attachment);
    return blob.stream;
  };
  return { filename: `${name}.tgz`, stream: archive(packageFiles(ctx, exported, ledger, open), manifest, ctx.now()) };
}

/**
 * A package without one of its files must not pass for a complete one, and that is better known before the first byte
 * is sent.
 */
async function requireAttachments(ctx: Ctx, blobs: BlobStore, { attachments }: PackageScope): Promise<void> {
  const wanted = [...attachments.values()];
  for (let at = 0; at < wanted.length; at += MAX_CONCURRENT_STATS) {
    await Promise.all(
      wanted.slice(at, at + MAX_CONCURRENT_STATS).map(async (attachment) => {
        const found = await blobs.stat(ctx.org, attachment.sha256);
        if (found?.size !== attachment.size) throw missing(attachment);
      }),
    );
  }
}

function missing({ name, sha256 }: Attachment) {
  return unavailable(
    `The attachment '${name}' (${sha256}) cannot be read from the evidence store, so the export was canceled`,
  );
}
