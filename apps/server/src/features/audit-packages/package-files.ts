import type { Readable } from 'node:stream';
import type { Explanation } from '@waymark/compliance';
import type { Ctx } from '../../platform/ctx.ts';
import type { Part } from '../../platform/http/html.ts';
import { toExplanation } from '../compliance/compliance-view.ts';
import type { PinnedTemplate } from '../flows/template.reads.ts';
import { toTrailEvent } from '../trails/trail-view.ts';
import type { PackageFile } from './archive.ts';
import { approvalRecord, artifactRecord, attestationRecord, type Judged, type Place } from './evidence-records.ts';
import { readme } from './readme.ts';
import { readApprovals, readArtifacts, readAttestations, readEventPages } from './record.reads.ts';
import { ROWS_SHOWN, reportPage, type Table } from './report-page.ts';
import * as rows from './report-rows.ts';
import type { Attachment, Scope } from './scope.reads.ts';

/** What is exported, as of one moment. */
export interface Export {
  /** Stands in Markdown too, so it is made of names that are letters, digits and marks. */
  readonly title: string;
  readonly place: Place;
  readonly trail: object;
  readonly verdict: { readonly status: string; readonly because: string };
  readonly explanation?: Explanation;
  readonly template?: PinnedTemplate;
  readonly judged?: Judged;
  readonly scope: Scope;
}

export type OpenAttachment = (attachment: Attachment) => Promise<Readable>;

/** The files of a package. Records are read while they are written; the report, which tells of them, comes last. */
export async function* packageFiles(ctx: Ctx, exported: Export, open: OpenAttachment): AsyncGenerator<PackageFile> {
  const { title, place, trail, explanation, template, scope } = exported;
  yield { path: 'README.md', content: readme(title, place.publicUrl, ctx.now()) };
  yield json('records/trail.json', trail);
  if (explanation) yield json('records/explanation.json', toExplanation(explanation));
  if (template)
    yield json('records/template.json', { id: template.id, content: template.content, ...template.template });
  const report = createReport();
  yield* artifactFiles(ctx, exported, report);
  yield* attestationFiles(ctx, exported, report);
  yield* approvalFiles(ctx, exported, report);
  yield* eventFiles(ctx, scope, report);
  for (const attachment of scope.attachments.values()) yield { ...attachment, open: () => open(attachment) };
  yield { path: 'index.html', content: report.page(ctx, exported) };
}

async function* artifactFiles(ctx: Ctx, { place, judged, scope }: Export, report: ReportDraft) {
  const tell = report.table('Artifacts', rows.ARTIFACT_COLUMNS, 'records/artifacts');
  for await (const row of readArtifacts(ctx, scope)) {
    yield json(`records/artifacts/${row.id}.json`, artifactRecord(row, place, judged));
    tell(row.id, () => rows.artifactCells(row));
  }
}

async function* attestationFiles(ctx: Ctx, { place, scope }: Export, report: ReportDraft) {
  const tell = report.table('Attestations', rows.ATTESTATION_COLUMNS, 'records/attestations');
  for await (const row of readAttestations(ctx, scope)) {
    const attachment = scope.attachments.get(row.attachment_sha256 ?? '');
    yield json(`records/attestations/${row.id}.json`, attestationRecord(row, place, attachment));
    tell(row.id, () => rows.attestationCells(row, attachment));
  }
}

async function* approvalFiles(ctx: Ctx, { place, scope }: Export, report: ReportDraft) {
  const tell = report.table('Approvals', rows.APPROVAL_COLUMNS, 'records/approvals');
  for await (const row of readApprovals(ctx, scope)) {
    yield json(`records/approvals/${row.number}.json`, approvalRecord(row, place));
    tell(row.id, () => rows.approvalCells(row));
  }
}

async function* eventFiles(ctx: Ctx, scope: Scope, report: ReportDraft) {
  const tell = report.table('History', rows.EVENT_COLUMNS, 'records/events');
  let page = 0;
  for await (const events of readEventPages(ctx, scope)) {
    yield json(`records/events/${String(++page).padStart(4, '0')}.json`, events.map(toTrailEvent));
    for (const event of events) tell(undefined, () => rows.eventCells(event));
  }
}

function json(path: string, value: unknown): PackageFile {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` };
}

interface ReportDraft {
  /** Begins a table; the function that comes back is told of each record, and remembers as many as are shown. */
  table(
    title: string,
    columns: readonly string[],
    folder: string,
  ): (id: string | undefined, cells: () => Part[]) => void;
  page(ctx: Ctx, exported: Export): string;
}

function createReport(): ReportDraft {
  const tables: (Table & { rows: Part[][]; total: number })[] = [];
  const packaged = new Set<string>();
  return {
    table(title, columns, folder) {
      const table = { title, columns, folder, rows: [] as Part[][], total: 0 };
      tables.push(table);
      return (id, cells) => {
        table.total++;
        if (id !== undefined) packaged.add(id);
        if (table.rows.length < ROWS_SHOWN) table.rows.push(cells());
      };
    },
    page(ctx, { title, place, verdict, explanation, template }) {
      const facts: [string, Part][] = [
        ['Org', place.org],
        ['Flow', place.flowName],
        ['Trail', place.trailName],
        ['Exported', rows.time(ctx.now())],
        ['By', ctx.actor.name],
        ['From', place.publicUrl],
      ];
      return reportPage({ title, facts, verdict, explanation, template: template?.template, tables, packaged });
    },
  };
}
