import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { decodeMoment, encodeMoment, type Moment } from '../../platform/db/paginate.ts';
import { invalidField, notFound, unavailable } from '../../platform/errors.ts';
import { EXPORT_BATCH, handleExport } from '../../platform/export/handle-export.ts';
import { pagesAfter } from '../../platform/export/pages.ts';
import type { App } from '../../platform/http/app.ts';
import { handleFile } from '../../platform/http/file-reply.ts';
import { handle, type Out } from '../../platform/http/handle.ts';
import { nextLink } from '../../platform/http/links.ts';
import { present } from '../../platform/present.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { storedRows } from '../../platform/stored-json.ts';
import { fromEpochSeconds } from '../../platform/time.ts';
import { findReports } from '../artifacts/artifact.reads.ts';
import { readFlow } from '../flows/flow.reads.ts';
import { findTrailByName } from '../trails/trail.reads.ts';
import * as reads from './attestation.reads.ts';
import { EXPORTED_ATTESTATIONS } from './attestation-export.ts';
import { toAttestation } from './attestation-view.ts';
import { findNames } from './find-names.ts';

/** The maximum size of a plain array of attestations, which also ends where it gets too large. */
const LIST_MAX = 1_000;

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function attestationRoutes(app: App, sandbox: Sandbox): void {
  const shown = (ctx: Ctx, org: string, rows: readonly reads.AttestationView[]) => {
    const stored = storedRows(ctx.log, 'attestation');
    return rows.map((row) => toAttestation(row, org, app.publicUrl, stored));
  };

  handle(app, api.listAttestations, async (ctx, { params, query }) => {
    const { per_page = 20 } = query;
    const filter = await fromQuery(ctx, sandbox, query);
    if (!filter) return { data: [], pagination: { per_page, next: null } };
    const before = present({ before: query.after === undefined ? undefined : decodeMoment(query.after) });
    const { attestations, next } = await reads.listAttestationsFrom(ctx, { ...filter, ...before }, per_page);
    return {
      data: shown(ctx, params.org, attestations),
      pagination: { per_page, next: next ? encodeMoment(next) : null },
    };
  });

  handleExport(app, api.exportAttestations, EXPORTED_ATTESTATIONS, async (ctx, { params, query }) => {
    const name = `attestations-${params.org}`;
    const filter = await fromQuery(ctx, sandbox, query);
    if (!filter) return { name, total: 0, pages: pagesAfter(async () => ({ items: [], next: undefined })) };
    return {
      name,
      total: await reads.countAttestations(ctx, filter, api.EXPORT_MAX + 1),
      pages: pagesAfter(async (before: Moment | undefined) => {
        const { attestations, next } = await reads.listAttestationsFrom(
          ctx,
          { ...filter, ...present({ before }) },
          EXPORT_BATCH,
        );
        return { items: shown(ctx, params.org, attestations), next };
      }),
    };
  });

  handle(app, api.listFlowAttestations, async (ctx, { params, query }) => {
    const { page = 1, per_page = 15 } = query;
    const flow = await readFlow(ctx, params.flow_name);
    const filter = { flowIds: [flow.id], ...between(query) };
    return shown(ctx, params.org, await reads.listAttestationPage(ctx, filter, page, per_page));
  });

  /** A plain array of the newest, with a link to the rest. */
  const listed = async (
    ctx: Ctx,
    out: Out,
    { org, path, query }: { org: string; path: string; query: { after?: string | undefined } },
    filter: reads.AttestationFilter,
  ) => {
    const before = present({ before: query.after === undefined ? undefined : decodeMoment(query.after) });
    const { attestations, next } = await reads.listAttestationsFrom(ctx, { ...filter, ...before }, LIST_MAX);
    if (next) {
      const after = encodeMoment(next);
      out.header('link', nextLink(app.publicUrl, `/attestations/${org}/${path}`, { ...query, after }));
    }
    return shown(ctx, org, attestations);
  };

  handle(app, api.listTrailAttestations, async (ctx, { params, query }, out) => {
    const { org, flow_name, trail_name, attestation_name } = params;
    const { trail } = await findTrailByName(ctx, flow_name, trail_name);
    const path = `${flow_name}/trail/${trail_name}/${attestation_name}`;
    return listed(ctx, out, { org, path, query }, { trailIds: [trail.id], names: [attestation_name] });
  });

  handle(app, api.listArtifactAttestations, async (ctx, { params, query }, out) => {
    const { org, flow_name, fingerprint, attestation_name } = params;
    const { trailIds, ...artifact } = await findReports(ctx, flow_name, fingerprint);
    const path = `${flow_name}/artifact/${artifact.fingerprint}/${attestation_name}`;
    return listed(ctx, out, { org, path, query }, { trailIds, artifact, names: [attestation_name] });
  });

  handle(app, api.listAttestationsForCriteria, async (ctx, { params, query }, out) => {
    const flow = query.flow_name === undefined ? undefined : await readFlow(ctx, query.flow_name);
    return listed(
      ctx,
      out,
      { org: params.org, path: 'list_attestations_for_criteria', query },
      {
        commits: [query.commit_list].flat(),
        ...present({
          flowIds: flow && [flow.id],
          names: query.attestation_name === undefined ? undefined : [query.attestation_name],
          types: await typesOf(ctx, [query.attestation_type ?? []].flat()),
        }),
      },
    );
  });

  handleFile(app, api.downloadEvidence, async (ctx, { params }) => {
    const { flow_name, trail_name, attestation_id } = params;
    const row = await reads.readOfTrail(ctx, flow_name, trail_name, attestation_id);
    if (!row.attachment_sha256) throw notFound('Attachment of attestation', attestation_id);
    const blob = await app.blobs.open(ctx.org, row.attachment_sha256);
    if (!blob)
      throw unavailable(`The attachment of attestation '${row.id}' is currently missing from the evidence store`);
    return { filename: row.attachment_name ?? 'evidence', size: blob.size, stream: blob.stream };
  });
}

/** Undefined when nothing can match. */
async function fromQuery(
  ctx: Ctx,
  sandbox: Sandbox,
  query: api.Input<typeof api.exportAttestations>['query'],
): Promise<reads.AttestationFilter | undefined> {
  if (query.name !== undefined && query.name_regex !== undefined) {
    throw invalidField('query.name_regex', 'cannot be combined with name');
  }
  if (query.attestation_id !== undefined && !UUID.test(query.attestation_id)) return undefined;
  const names = await namesOf(ctx, sandbox, query);
  if (names?.length === 0) return undefined;
  const flows = await Promise.all([query.flow ?? []].flat().map((name) => readFlow(ctx, name)));
  const types = await typesOf(ctx, [query.type ?? []].flat());
  if (types?.length === 0) return undefined;
  return {
    ...(query.attestation_id !== undefined && { id: query.attestation_id }),
    ...(names && { names }),
    ...(flows.length > 0 && { flowIds: flows.map((flow) => flow.id) }),
    ...(types && { types }),
    ...(query.is_compliant !== undefined && { isCompliant: query.is_compliant === 'true' }),
    ...between(query),
  };
}

async function namesOf(
  ctx: Ctx,
  sandbox: Sandbox,
  query: { name?: string | undefined; name_regex?: string | undefined },
): Promise<string[] | undefined> {
  if (query.name_regex !== undefined) return findNames(ctx, sandbox, query.name_regex);
  return query.name === undefined ? undefined : [query.name];
}

/** `custom` matches every custom type. */
async function typesOf(ctx: Ctx, types: readonly string[]): Promise<string[] | undefined> {
  if (types.length === 0) return undefined;
  const custom = types.includes('custom') ? await reads.findCustomTypes(ctx) : [];
  return [...types.filter((type) => type !== 'custom'), ...custom];
}

function between(query: { from_timestamp?: number | undefined; to_timestamp?: number | undefined }) {
  return {
    ...(query.from_timestamp !== undefined && { from: fromEpochSeconds(query.from_timestamp) }),
    ...(query.to_timestamp !== undefined && { to: fromEpochSeconds(query.to_timestamp) }),
  };
}
