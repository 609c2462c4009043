import { statusOfArtifact } from '@waymark/compliance';
import type { Ctx } from '../../../platform/ctx.ts';
import { type Html, html, type Part } from '../../../platform/http/html.ts';
import { readTrailExport } from './audit-package.service.ts';
import { artifactEffect, attestationEffect } from './effect.ts';
import { EVENT_COLUMNS, eventCells } from './event-row.ts';
import { placeFacts, provenanceFacts } from './facts.ts';
import { requiredTypes } from './node-label.ts';
import type { Export } from './package-files.ts';
import {
  type PackagedApproval,
  readApprovals,
  readArtifacts,
  readAttestations,
  readEventPages,
} from './record.reads.ts';
import { reportSections } from './report-page.ts';
import * as rows from './report-rows.ts';
import { ROWS_SHOWN, type Table } from './report-table.ts';
import type { PackageScope } from './scope.reads.ts';

/** The content of the printed report of a trail. */
export interface TrailReport {
  readonly flowName: string;
  readonly trailName: string;
  readonly verdict: { readonly status: string; readonly because: string };
  readonly facts: readonly (readonly [string, Part])[];
  readonly sections: Html;
}

/** The content of the report in an audit package, without links to its files: the newest records of each kind. */
export async function readTrailReport(
  ctx: Ctx,
  source: { readonly org: string; readonly publicUrl: string },
  flowName: string,
  trailName: string,
): Promise<TrailReport> {
  const exported = await readTrailExport(ctx, source, flowName, trailName);
  const { place, verdict, explanation, judged, provenance } = exported;
  const template = exported.template?.template;
  const attestations = await attestationTable(ctx, exported);
  const sections = reportSections({
    explanation,
    around: {
      trailName: place.trailName,
      required: template ? requiredTypes(template) : new Map(),
      packaged: new Set(),
      overrides: attestations.overrides,
      medium: 'report',
    },
    asked: template && {
      template,
      judgement: judged.judgement,
      artifact: undefined,
      packaged: new Set(),
      medium: 'report',
    },
    tables: [
      await artifactTable(ctx, exported),
      attestations.table,
      await approvalTable(ctx, exported.scope),
      await eventTable(ctx, exported.scope),
    ],
  });
  return {
    flowName: place.flowName,
    trailName: place.trailName,
    verdict,
    facts: [...placeFacts(place), ...provenanceFacts(provenance)],
    sections,
  };
}

const WHOLE = html`the audit package of the trail`;

async function artifactTable(ctx: Ctx, { judged, scope }: Export): Promise<Table> {
  const effectOf = artifactEffect(judged.judgement);
  const cells: Part[][] = [];
  for await (const row of readArtifacts(ctx, { ...scope, artifacts: newest(scope.artifacts) })) {
    const { status } = statusOfArtifact(judged.judgement, row);
    cells.push(rows.artifactCells(row, status, effectOf(row.id), 'report'));
  }
  return {
    title: 'Artifacts',
    columns: rows.ARTIFACT_COLUMNS,
    rows: cells,
    total: scope.artifacts.length,
    whole: WHOLE,
  };
}

async function attestationTable(ctx: Ctx, { judged, scope }: Export) {
  const effectOf = attestationEffect(judged.judgement);
  const overrides = new Map<string, string>();
  // The newest come first, so an override is known before what it replaced.
  const overriddenBy = new Map<string, string>();
  const cells: Part[][] = [];
  for await (const row of readAttestations(ctx, { ...scope, attestations: newest(scope.attestations) })) {
    if (row.overrides_id !== null) {
      overrides.set(row.id, row.overrides_id);
      overriddenBy.set(row.overrides_id, row.id);
    }
    cells.push(
      rows.attestationCells(row, {
        effect: effectOf(row.id),
        attachment: undefined,
        typePath: undefined,
        overriddenBy: overriddenBy.get(row.id),
        isPackaged: () => false,
        medium: 'report',
      }),
    );
  }
  const total = scope.attestations.length;
  const table = { title: 'Attestations', columns: rows.ATTESTATION_COLUMNS, rows: cells, total, whole: WHOLE };
  return { table, overrides };
}

async function approvalTable(ctx: Ctx, scope: PackageScope): Promise<Table> {
  const found: PackagedApproval[] = [];
  for await (const row of readApprovals(ctx, { ...scope, approvals: newest(scope.approvals) })) found.push(row);
  return {
    title: 'Approvals',
    columns: rows.APPROVAL_COLUMNS,
    rows: found.map((row) => rows.approvalCells(row, 'report')),
    total: scope.approvals.length,
    whole: WHOLE,
  };
}

async function eventTable(ctx: Ctx, scope: PackageScope): Promise<Table> {
  const total = [scope.artifacts, scope.attestations, scope.approvals, scope.changes].flat().length;
  const cells: Part[][] = [];
  for await (const events of readEventPages(ctx, scope)) {
    cells.push(...events.slice(0, ROWS_SHOWN - cells.length).map(eventCells));
    if (cells.length >= ROWS_SHOWN) break;
  }
  return { title: 'History', columns: EVENT_COLUMNS, rows: cells, total, whole: WHOLE };
}

function newest(receipts: readonly number[]): readonly number[] {
  return receipts.slice(0, ROWS_SHOWN);
}
