import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { decodeReceipt, encodeReceipt } from '../../platform/db/paginate.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { handleFile } from '../../platform/http/file-reply.ts';
import { handle } from '../../platform/http/handle.ts';
import { fromEpochSeconds } from '../../platform/time.ts';
import { findReports } from '../artifacts/artifact.reads.ts';
import { readFlow } from '../flows/flow.reads.ts';
import * as reads from './attestation.reads.ts';
import { toAttestation } from './attestation-view.ts';

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function attestationRoutes(app: App): void {
  const shown = (org: string, rows: readonly reads.AttestationView[]) =>
    rows.map((row) => toAttestation(row, org, app.publicUrl));

  handle(app, api.listAttestations, async (ctx, { params, query }) => {
    const { per_page = 20 } = query;
    const filter = await fromQuery(ctx, query);
    const before = query.after === undefined ? undefined : decodeReceipt(query.after);
    const rows = filter ? await reads.listAttestations(ctx, filter, per_page + 1, before) : [];
    const last = rows.length > per_page ? rows[per_page - 1] : undefined;
    return {
      data: shown(params.org, rows.slice(0, per_page)),
      pagination: { per_page, next: last ? encodeReceipt(last.receipt) : null },
    };
  });

  handle(app, api.listFlowAttestations, async (ctx, { params, query }) => {
    const { page = 1, per_page = 15 } = query;
    const flow = await readFlow(ctx, params.flow_name);
    const filter = { flowIds: [flow.id], ...between(query) };
    return shown(params.org, await reads.listAttestations(ctx, filter, per_page, undefined, (page - 1) * per_page));
  });

  handle(app, api.listTrailAttestations, async (ctx, { params }) =>
    shown(params.org, await reads.listOfTrail(ctx, params.flow_name, params.trail_name, params.attestation_name)),
  );

  handle(app, api.listArtifactAttestations, async (ctx, { params }) => {
    const about = await findReports(ctx, params.flow_name, params.fingerprint);
    return shown(params.org, await reads.listOfArtifact(ctx, about, params.attestation_name));
  });

  handle(app, api.listAttestationsForCriteria, async (ctx, { params, query }) => {
    const found = await reads.listForCommits(ctx, {
      commits: [query.commit_list].flat(),
      ...(query.flow_name !== undefined && { flowIds: [(await readFlow(ctx, query.flow_name)).id] }),
      ...(query.attestation_name !== undefined && { names: [query.attestation_name] }),
      ...(query.attestation_type !== undefined && { types: [query.attestation_type] }),
    });
    return shown(params.org, found);
  });

  handleFile(app, api.downloadEvidence, async (ctx, { params }) => {
    const { flow_name, trail_name, attestation_id } = params;
    const row = await reads.readOfTrail(ctx, flow_name, trail_name, attestation_id);
    if (!row.attachment_sha256) throw notFound('Attachment of attestation', attestation_id);
    const blob = await app.blobs.open(ctx.org, row.attachment_sha256);
    if (!blob) throw new Error(`the attachment of attestation ${row.id} is not in the store`);
    return { filename: row.attachment_name ?? 'evidence', size: blob.size, stream: blob.stream };
  });
}

/** Undefined when nothing can match. */
async function fromQuery(
  ctx: Ctx,
  query: api.Input<typeof api.listAttestations>['query'],
): Promise<reads.AttestationFilter | undefined> {
  if (query.name !== undefined && query.name_regex !== undefined) {
    throw invalidField('query.name_regex', 'cannot be given together with name');
  }
  if (query.attestation_id !== undefined && !UUID.test(query.attestation_id)) return undefined;
  const names =
    query.name_regex === undefined
      ? query.name === undefined
        ? undefined
        : [query.name]
      : await reads.findNames(ctx, query.name_regex);
  if (names?.length === 0) return undefined;
  const flows = await Promise.all([query.flow ?? []].flat().map((name) => readFlow(ctx, name)));
  const types = [query.type ?? []].flat();
  return {
    ...(query.attestation_id !== undefined && { id: query.attestation_id }),
    ...(names && { names }),
    ...(flows.length > 0 && { flowIds: flows.map((flow) => flow.id) }),
    ...(types.length > 0 && { types }),
    ...(query.is_compliant !== undefined && { isCompliant: query.is_compliant === 'true' }),
    ...between(query),
  };
}

function between(query: { from_timestamp?: number | undefined; to_timestamp?: number | undefined }) {
  return {
    ...(query.from_timestamp !== undefined && { from: fromEpochSeconds(query.from_timestamp) }),
    ...(query.to_timestamp !== undefined && { to: fromEpochSeconds(query.to_timestamp) }),
  };
}
