import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { pageCount } from '../../platform/db/paginate.ts';
import { EXPORT_BATCH, handleExport } from '../../platform/export/handle-export.ts';
import { pagesAfter } from '../../platform/export/pages.ts';
import type { App } from '../../platform/http/app.ts';
import { created, handle, updated } from '../../platform/http/handle.ts';
import { nextLink } from '../../platform/http/links.ts';
import { textOf } from '../../platform/http/text-file.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { epochSeconds } from '../../platform/time.ts';
import * as reads from './flow.reads.ts';
import * as flows from './flow.service.ts';
import { EXPORTED_FLOWS } from './flow-export.ts';

export function flowRoutes(app: App, sandbox: Sandbox): void {
  const put = async (ctx: Ctx, change: flows.FlowChange) => {
    await flows.screenTemplate(ctx, sandbox, change.template);
    return putReply(change.name, await flows.putFlow(ctx, change));
  };

  handle(app, api.putFlow, (ctx, { body }) => put(ctx, fromInput(body)));

  handle(app, api.putFlowTemplate, async (ctx, { body, file }) => {
    const template = file && textOf('template_file', file);
    return put(ctx, { ...fromInput(body), ...(template !== undefined && { template }) });
  });

  handle(app, api.listFlows, async (ctx, { params, query }, out) => {
    const filter = fromQuery(query);
    const url = flowUrl(app, params.org);
    if (query.page === undefined && query.per_page === undefined) {
      const { flows, next } = await reads.listFlowsFrom(ctx, filter, query.after);
      if (next) out.header('link', nextLink(app.publicUrl, `/flows/${params.org}`, { ...query, after: next }));
      return flows.map((flow) => toFlow(flow, params.org, url));
    }
    const { page = 1, per_page = 20 } = query;
    const { total, flows } = await reads.listFlowPage(ctx, filter, page, per_page);
    const pagination = { total, page, per_page, page_count: pageCount(total, per_page) };
    return { data: flows.map((flow) => toFlow(flow, params.org, url)), pagination };
  });

  handleExport(app, api.exportFlows, EXPORTED_FLOWS, async (ctx, { params, query }) => {
    const filter = fromQuery(query);
    return {
      name: `flows-${params.org}`,
      total: await reads.countFlows(ctx, filter),
      pages: pagesAfter(async (after: string | undefined) => {
        const { flows, next } = await reads.listFlowsFrom(ctx, filter, after, EXPORT_BATCH);
        return { items: flows.map((flow) => toFlow(flow, params.org, flowUrl(app, params.org))), next };
      }),
    };
  });

  handle(app, api.getFlow, async (ctx, { params }) =>
    toFlow(await reads.readFlow(ctx, params.flow_name), params.org, flowUrl(app, params.org)),
  );

  handle(app, api.renameFlow, async (ctx, { params, body }) => {
    const outcome = await flows.renameFlow(ctx, params.flow_name, body.new_name);
    return outcome === 'renamed' ? `Flow renamed to '${body.new_name}'` : `Flow is already named '${body.new_name}'`;
  });

  handle(app, api.archiveFlow, async (ctx, { params }) => {
    await flows.archiveFlow(ctx, params.flow_name);
    return `Flow '${params.flow_name}' archived`;
  });
}

function putReply(name: string, outcome: flows.PutOutcome) {
  const text = `Flow '${name}' ${outcome}`;
  return outcome === 'created' ? created(text) : updated(text);
}

/** A null member counts as absent. */
function fromInput(input: api.FlowInput): flows.FlowChange {
  return {
    name: input.name,
    ...(input.description != null && { description: input.description }),
    ...(input.visibility != null && { visibility: input.visibility }),
    ...(input.template != null && { template: input.template }),
    ...(input.repo_url != null && { repo_url: input.repo_url }),
  };
}

function fromQuery(query: api.Input<typeof api.exportFlows>['query']): reads.FlowFilter {
  return {
    nameContains: query.search_by_name,
    caseSensitive: query.case_sensitive !== 'false',
    tags: [query.tag ?? []].flat(),
    sort: query.sort ?? 'name',
    direction: query.sort_direction ?? (query.sort === 'latest_activity' ? 'desc' : 'asc'),
  };
}

function flowUrl(app: App, org: string): string {
  return `${app.publicUrl}/${org}/flows`;
}

function toFlow(flow: reads.FlowView, org: string, url: string): api.Flow {
  return {
    id: flow.id,
    org,
    name: flow.name,
    description: flow.description,
    visibility: flow.visibility,
    template: flow.template_names ?? flow.template ?? '',
    repo_url: flow.repo_url,
    tags: flow.tags,
    created_at: epochSeconds(flow.created_at),
    created_by: flow.created_by,
    last_modified_at: epochSeconds(flow.last_modified_at),
    latest_activity_at: epochSeconds(flow.latest_activity_at),
    last_deployment_at: flow.last_deployment_at && epochSeconds(flow.last_deployment_at),
    auto_created: flow.auto_created,
    html_url: `${url}/${flow.name}`,
  };
}
