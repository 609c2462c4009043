import type { Readable } from 'node:stream';
import { type ArtifactStatus, type Explanation, statusOfArtifact } from '@waymark/compliance';
import type { Ctx } from '../../../platform/ctx.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import type { PinnedTemplate } from '../../flows/template.reads.ts';
import { toTrailEvent } from '../../trails/trail-view.ts';
import type { PackageFile } from './archive.ts';
import { artifactEffect, attestationEffect } from './effect.ts';
import { EVENT_COLUMNS, eventCells } from './event-row.ts';
import {
  approvalRecord,
  artifactRecord,
  attestationRecord,
  explanationRecord,
  type Judged,
  type RecordContext,
} from './evidence-records.ts';
import type { ExportProvenance } from './export-provenance.reads.ts';
import { facts } from './facts.ts';
import type { PackageSubject } from './ledger-subjects.reads.ts';
import { requiredTypes } from './node-label.ts';
import { ledgerFiles, type PackageLedger } from './package-ledger.ts';
import { readme } from './readme.ts';
import { readApprovals, readArtifacts, readAttestations, readEventPages } from './record.reads.ts';
import { createReportDraft, type ReportDraft } from './report-draft.ts';
import { reportPage } from './report-page.ts';
import * as rows from './report-rows.ts';
import type { Attachment, PackageScope } from './scope.reads.ts';
import { createTypeFiles } from './type-files.ts';

/** What is exported, as of one moment. */
export interface Export {
  /** Also used in Markdown, so it consists of names made of letters, digits and punctuation. */
  readonly title: string;
  readonly place: RecordContext;
  readonly trail: object;
  readonly provenance: ExportProvenance;
  readonly verdict: { readonly status: string; readonly because: string };
  readonly explanation?: Explanation;
  readonly template?: PinnedTemplate;
  /** Set for a package about one artifact report. */
  readonly artifact?: ArtifactStatus;
  readonly judged: Judged;
  readonly scope: PackageScope;
  /** What has the journal entries that prove the package. */
  readonly subjects: readonly PackageSubject[];
}

export type OpenAttachment = (attachment: Attachment) => Promise<Readable>;

/** Yields the files of a package. Records are read as they are written; the report, which lists them, comes last. */
export async function* packageFiles(
  ctx: Ctx,
  exported: Export,
  ledger: PackageLedger,
  open: OpenAttachment,
): AsyncGenerator<PackageFile> {
  const { title, place, trail, explanation, template, judged, scope } = exported;
  yield { path: 'README.md', content: readme(title, place.publicUrl, ctx.now(), ledger) };
  yield json('records/trail.json', trail);
  if (explanation) yield json('records/explanation.json', explanationRecord(explanation, judged));
  if (template)
    yield json('records/template.json', { id: template.id, content: template.content, ...template.template });
  const report = createReportDraft();
  yield* artifactFiles(ctx, exported, report);
  yield* attestationFiles(ctx, exported, report);
  yield* approvalFiles(ctx, exported, report);
  yield* eventFiles(ctx, scope, report);
  yield* ledgerFiles(ctx, ledger);
  for (const attachment of scope.attachments.values()) yield { ...attachment, open: () => open(attachment) };
  yield { path: 'index.html', content: page(ctx, exported, report) };
}

async function* artifactFiles(ctx: Ctx, { place, judged, scope }: Export, report: ReportDraft) {
  const tell = report.table('Artifacts', rows.ARTIFACT_COLUMNS, inFolder('records/artifacts'));
  const effectOf = artifactEffect(judged.judgement);
  for await (const row of readArtifacts(ctx, scope)) {
    yield json(`records/artifacts/${row.id}.json`, artifactRecord(row, place, judged));
    tell(row.id, () =>
      rows.artifactCells(row, statusOfArtifact(judged.judgement, row).status, effectOf(row.id), 'package'),
    );
  }
}

async function* attestationFiles(ctx: Ctx, { place, judged, scope }: Export, report: ReportDraft) {
  const tell = report.table('Attestations', rows.ATTESTATION_COLUMNS, inFolder('records/attestations'));
  const effectOf = attestationEffect(judged.judgement);
  const typeFileOf = createTypeFiles(ctx);
  // The newest come first, so an override is known before what it replaced.
  const overriddenBy = new Map<string, string>();
  for await (const row of readAttestations(ctx, scope)) {
    const attachment = scope.attachments.get(row.attachment_sha256 ?? '');
    const type = await typeFileOf(row);
    if (type?.record) yield json(type.path, type.record);
    yield json(`records/attestations/${row.id}.json`, attestationRecord(row, place, attachment));
    if (row.overrides_id !== null) {
      report.overrides.set(row.id, row.overrides_id);
      overriddenBy.set(row.overrides_id, row.id);
    }
    tell(row.id, () =>
      rows.attestationCells(row, {
        effect: effectOf(row.id),
        attachment,
        typePath: type?.path,
        overriddenBy: overriddenBy.get(row.id),
        isPackaged: (id) => scope.attestationIds.has(id),
        medium: 'package',
      }),
    );
  }
}

async function* approvalFiles(ctx: Ctx, { place, scope }: Export, report: ReportDraft) {
  const tell = report.table('Approvals', rows.APPROVAL_COLUMNS, inFolder('records/approvals'));
  for await (const row of readApprovals(ctx, scope)) {
    yield json(`records/approvals/${row.number}.json`, approvalRecord(row, place));
    tell(row.id, () => rows.approvalCells(row, 'package'));
  }
}

async function* eventFiles(ctx: Ctx, scope: PackageScope, report: ReportDraft) {
  const tell = report.table('History', EVENT_COLUMNS, inFolder('records/events'));
  let page = 0;
  for await (const events of readEventPages(ctx, scope)) {
    yield json(`records/events/${String(++page).padStart(4, '0')}.json`, events.map(toTrailEvent));
    for (const event of events) tell(undefined, () => eventCells(event));
  }
}

function page(ctx: Ctx, exported: Export, { tables, packaged, overrides }: ReportDraft): string {
  const { title, place, provenance, verdict, explanation, artifact, judged } = exported;
  const template = exported.template?.template;
  return reportPage({
    title,
    facts: facts(place, provenance, { at: ctx.now(), by: ctx.actor.name }),
    verdict,
    explanation,
    around: {
      trailName: place.trailName,
      required: template ? requiredTypes(template) : new Map(),
      packaged,
      overrides,
      medium: 'package',
    },
    asked: template && { template, judgement: judged.judgement, artifact, packaged, medium: 'package' },
    tables,
  });
}

function inFolder(folder: string): Html {
  return html`<code>${folder}</code>`;
}

function json(path: string, value: unknown): PackageFile {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` };
}
