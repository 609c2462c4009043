import { toExplanation } from '@waymark/compliance';
import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { cut, decodeReceipt, encodeReceipt, pageCount } from '../../platform/db/paginate.ts';
import { EXPORT_BATCH, handleExport } from '../../platform/export/handle-export.ts';
import { pagesAfter } from '../../platform/export/pages.ts';
import type { App } from '../../platform/http/app.ts';
import { created, handle, updated } from '../../platform/http/handle.ts';
import { apiUrl, pageLinks } from '../../platform/http/links.ts';
import { textOf } from '../../platform/http/text-file.ts';
import { present } from '../../platform/present.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { storedRows } from '../../platform/stored-json.ts';
import { epochSeconds, fromEpochSeconds } from '../../platform/time.ts';
import { readFlow } from '../flows/flow.reads.ts';
import { screenTemplate } from '../flows/flow.service.ts';
import { findFingerprint } from '../provenance/fingerprint.reads.ts';
import * as reads from './trail.reads.ts';
import * as trails from './trail.service.ts';
import { listTrailEvents } from './trail-events.reads.ts';
import { EXPORTED_TRAILS } from './trail-export.ts';
import { toTrail, toTrailEvent, toTrailSummary, trailUrl } from './trail-view.ts';

const EVENTS_SHOWN = 1_000;

export function trailRoutes(app: App, sandbox: Sandbox): void {
  handle(app, api.beginTrail, async (ctx, { params, body, file }) => {
    const template = file && textOf('template_file', file);
    const change = { ...present(body), ...(template !== undefined && { template }) };
    await screenTemplate(ctx, sandbox, change.template);
    const outcome = await trails.putTrail(ctx, params.flow_name, change);
    const text = `Trail '${body.name}' ${outcome}`;
    return outcome === 'created' ? created(text) : updated(text);
  });

  handle(app, api.getTrail, async (ctx, { params }) => {
    const view = await reads.readTrail(ctx, params.flow_name, params.trail_name);
    const events = (await listTrailEvents(ctx, view.trail.id, EVENTS_SHOWN)).reverse();
    const about = { org: params.org, publicUrl: app.publicUrl, evaluatedAt: epochSeconds(ctx.now()) };
    return toTrail(view, events, about, storedRows(ctx.log, 'trail'));
  });

  handle(app, api.listTrails, async (ctx, { params, query }) => {
    const { page = 1, per_page = 20 } = query;
    const flow = query.flow === undefined ? undefined : await readFlow(ctx, query.flow);
    const { fingerprint } = query;
    const whole = fingerprint && (await findFingerprint(ctx, fingerprint, { field: 'query.fingerprint', flow }));
    const filter = {
      flowId: flow?.id,
      // A prefix without a match is used as the fingerprint, and finds nothing.
      fingerprint: whole ?? fingerprint,
      commit: query.commit,
      flowTags: [query.flow_tag ?? []].flat().map(fromTag),
    };
    const found = await reads.listTrailPage(ctx, filter, page, per_page);
    return toPage(app, ctx, params.org, found, page, per_page);
  });

  handle(app, api.listFlowTrails, async (ctx, { params, query }, out) => {
    const { page = 1, per_page = 100 } = query;
    const filter = await filterOfFlow(ctx, params.flow_name, query);
    const found = await reads.listTrailPage(ctx, filter, page, per_page);
    const shown = toPage(app, ctx, params.org, found, page, per_page);
    if (query.page !== undefined || query.per_page !== undefined) return shown;
    if (found.total > per_page) {
      const links = pageLinks(
        app.publicUrl,
        `/trails/${params.org}/${params.flow_name}`,
        query,
        1,
        per_page,
        found.total,
      );
      if (links['next']) out.header('link', `<${links['next'].href}>; rel="next"`);
    }
    return shown.data;
  });

  handleExport(app, api.exportFlowTrails, EXPORTED_TRAILS, async (ctx, { params, query }) => {
    const filter = await filterOfFlow(ctx, params.flow_name, query);
    const stored = storedRows(ctx.log, 'trail');
    return {
      name: `trails-${params.flow_name}`,
      total: await reads.countTrails(ctx, filter),
      pages: pagesAfter(async (before: number | undefined) => {
        const { trails, next } = await reads.listTrailsFrom(ctx, filter, before, EXPORT_BATCH);
        return { items: trails.map((trail) => toTrailSummary(trail, params.org, app.publicUrl, stored)), next };
      }),
    };
  });

  handle(app, api.explainTrail, async (ctx, { params }) => {
    const { judgement } = await reads.readTrail(ctx, params.flow_name, params.trail_name);
    return toExplanation(judgement.explanation);
  });

  handle(app, api.listTrailEvents, async (ctx, { params, query }) => {
    const { per_page = 100 } = query;
    const { trail } = await reads.findTrailByName(ctx, params.flow_name, params.trail_name);
    const before = query.after === undefined ? undefined : decodeReceipt(query.after);
    const { shown, last } = cut(await listTrailEvents(ctx, trail.id, per_page + 1, before), per_page);
    return {
      data: shown.map(toTrailEvent),
      pagination: { per_page, next: last ? encodeReceipt(last.receipt) : null },
    };
  });

  handle(app, api.searchCommitTrails, async (ctx, { params, query }) => {
    const { page = 1, per_page = 15 } = query;
    const { total, trails } = await reads.listCommitTrails(ctx, params.sha, page, per_page);
    const path = `/search/${params.org}/commit/${params.sha}/trails`;
    return {
      page,
      per_page,
      total_pages: pageCount(total, per_page),
      total_count: total,
      trails: trails.map(({ flow_name, trail_name, branch }) => {
        const url = trailUrl(app.publicUrl, params.org, flow_name, trail_name);
        const self = apiUrl(app.publicUrl, `/trails/${params.org}/${flow_name}/${trail_name}`);
        return { flow_name, trail_name, branch: branch ?? '', url, _links: { self: { href: self } } };
      }),
      _links: pageLinks(app.publicUrl, path, query, page, per_page, total),
    };
  });
}

type FlowQuery = api.Input<typeof api.exportFlowTrails>['query'];

async function filterOfFlow(ctx: Ctx, flowName: string, query: FlowQuery): Promise<reads.TrailFilter> {
  const flow = await readFlow(ctx, flowName);
  const { commit, fingerprint, branch } = query;
  const window = { from: momentOf(query.from), to: momentOf(query.to) };
  return { flowId: flow.id, commit, fingerprint, branch, flowTags: [], ...window };
}

/** Clients send an empty string for a parameter that was not given. */
function momentOf(seconds: number | '' | undefined): Date | undefined {
  return seconds === undefined || seconds === '' ? undefined : fromEpochSeconds(seconds);
}

function toPage(
  app: App,
  ctx: Ctx,
  org: string,
  found: { total: number; trails: reads.TrailListItem[] },
  page: number,
  perPage: number,
) {
  const stored = storedRows(ctx.log, 'trail');
  return {
    data: found.trails.map((trail) => toTrailSummary(trail, org, app.publicUrl, stored)),
    pagination: { total: found.total, page, per_page: perPage, page_count: pageCount(found.total, perPage) },
  };
}

/** `key=value`, as the clients send it, or `key`. */
function fromTag(tag: string): readonly [string, string | undefined] {
  const at = tag.indexOf('=');
  return at === -1 ? [tag, undefined] : [tag.slice(0, at), tag.slice(at + 1)];
}
