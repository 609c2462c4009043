import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { pageCount } from '../../platform/db/paginate.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { pageLinks } from '../../platform/http/links.ts';
import { present } from '../../platform/present.ts';
import { storedRows } from '../../platform/stored-json.ts';
import { fromEpochSeconds } from '../../platform/time.ts';
import { readFlow } from '../flows/flow.reads.ts';
import * as reads from './control.reads.ts';
import * as controls from './control.service.ts';
import { toControl, toDecision, toVersion } from './control-view.ts';
import { countCoverage, listCoveragePage } from './coverage.reads.ts';
import { type DecisionFilter, listDecisionPage, readDecision } from './decision.reads.ts';

const PER_PAGE = 15;

interface PageQuery {
  readonly page?: number | undefined;
  readonly per_page?: number | undefined;
  readonly sort_direction?: 'asc' | 'desc' | undefined;
}

export function controlRoutes(app: App): void {
  const shown = async (ctx: Ctx, identifier: string) =>
    toControl(await reads.readControl(ctx, identifier), storedRows(ctx.log, 'control'));

  handle(app, api.createControl, async (ctx, { body: { identifier, name, description, links } }) => {
    await controls.createControl(ctx, identifier, { name, description: description ?? '', links: links ?? {} });
    return shown(ctx, identifier);
  });

  handle(app, api.updateControl, async (ctx, { params, body: { name, description, links } }) => {
    await controls.editControl(ctx, params.identifier, present({ name, description, links }));
    return shown(ctx, params.identifier);
  });

  handle(app, api.archiveControl, async (ctx, { params }) => {
    await controls.archiveControl(ctx, params.identifier);
    return shown(ctx, params.identifier);
  });

  handle(app, api.unarchiveControl, async (ctx, { params }) => {
    await controls.unarchiveControl(ctx, params.identifier);
    return shown(ctx, params.identifier);
  });

  handle(app, api.getControl, (ctx, { params }) => shown(ctx, params.identifier));

  handle(app, api.listControls, async (ctx, { params, query }) => {
    const filter = {
      contains: query.search || undefined,
      tags: [query.tag ?? []].flat(),
      archived: query.archived === 'true',
    };
    const found = await reads.listControlPage(ctx, filter, {
      ...pageOf(query, 'asc'),
      sort: query.sort ?? 'name',
    });
    const stored = storedRows(ctx.log, 'control');
    return {
      controls: found.controls.map((control) => toControl(control, stored)),
      ...envelope(app, `/controls/${params.org}`, query, found.total),
    };
  });

  handle(app, api.listControlTags, async (ctx) => ({ tags: await reads.listControlTags(ctx) }));

  mountHistory(app);
  mountCoverage(app);
}

function mountHistory(app: App): void {
  handle(app, api.listControlVersions, async (ctx, { params: { org, identifier }, query }) => {
    const control = await reads.requireControl(ctx, identifier);
    const versions = await reads.listVersionPage(ctx, control, pageOf(query, 'desc'));
    const stored = storedRows(ctx.log, 'control_version');
    return {
      versions: versions.map((version) => toVersion(control, version, stored)),
      ...envelope(app, `/controls/${org}/${identifier}/versions`, query, control.version),
    };
  });

  handle(app, api.getControlVersion, async (ctx, { params }) => {
    const control = await reads.requireControl(ctx, params.identifier);
    const version = await reads.readVersion(ctx, control, params.version);
    return toVersion(control, version, storedRows(ctx.log, 'control_version'));
  });

  handle(app, api.listControlDecisions, async (ctx, { params: { org, identifier }, query }) => {
    const control = await reads.requireControl(ctx, identifier);
    const filter = await decisionFilter(ctx, query);
    const found = await listDecisionPage(ctx, control, filter, pageOf(query, 'desc'));
    const stored = storedRows(ctx.log, 'attestation');
    return {
      decisions: found.decisions.map((decision) => toDecision(decision, org, app.publicUrl, stored)),
      ...envelope(app, `/controls/${org}/${identifier}/decisions`, query, found.total),
    };
  });

  handle(app, api.getControlDecision, async (ctx, { params }) => {
    const control = await reads.requireControl(ctx, params.identifier);
    const decision = await readDecision(ctx, control, params.attestation_id);
    return toDecision(decision, params.org, app.publicUrl, storedRows(ctx.log, 'attestation'));
  });
}

function mountCoverage(app: App): void {
  handle(app, api.getControlCoverage, async (ctx, { params: { org, identifier }, query }) => {
    const control = await reads.requireControl(ctx, identifier);
    const { page, perPage } = pageOf(query, 'asc');
    const contains = query.search || undefined;
    const listed = query.covered === undefined ? undefined : query.covered === 'true';
    const { total, covered, passing } = await countCoverage(ctx, control, contains);
    const environments = await listCoveragePage(ctx, control, { contains, covered: listed }, page, perPage);
    const fitting = { true: covered, false: total - covered, both: total };
    return {
      environments,
      total,
      covered,
      passing,
      coverage_percent: total === 0 ? 0 : Math.round((covered * 1000) / total) / 10,
      ...envelope(app, `/controls/${org}/${identifier}/coverage`, query, fitting[query.covered ?? 'both']),
    };
  });
}

function pageOf({ page = 1, per_page = PER_PAGE, sort_direction }: PageQuery, usual: 'asc' | 'desc'): reads.PageOf {
  return { page, perPage: per_page, direction: sort_direction ?? usual };
}

function envelope(app: App, path: string, query: PageQuery, total: number) {
  const { page = 1, per_page = PER_PAGE } = query;
  return {
    page,
    per_page,
    total_pages: pageCount(total, per_page),
    total_count: total,
    _links: pageLinks(app.publicUrl, path, query, page, per_page, total),
  };
}

async function decisionFilter(
  ctx: Ctx,
  query: api.Input<typeof api.listControlDecisions>['query'],
): Promise<DecisionFilter> {
  const flows = await Promise.all([query.flow_name ?? []].flat().map((name) => readFlow(ctx, name)));
  const flowIds = [...[query.flow_id ?? []].flat(), ...flows.map((flow) => flow.id)];
  return {
    ...(query.is_compliant !== undefined && { isCompliant: query.is_compliant === 'true' }),
    ...(typeof query.from_timestamp === 'number' && { from: fromEpochSeconds(query.from_timestamp) }),
    ...(typeof query.to_timestamp === 'number' && { to: fromEpochSeconds(query.to_timestamp) }),
    ...(flowIds.length > 0 && { flowIds }),
  };
}
