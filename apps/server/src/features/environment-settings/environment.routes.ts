import * as api from '@waymark/contract';
import { pageCount } from '../../platform/db/paginate.ts';
import { EXPORT_BATCH, handleExport } from '../../platform/export/handle-export.ts';
import { pagesAfter } from '../../platform/export/pages.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { nextLink, pageLinks } from '../../platform/http/links.ts';
import { present } from '../../platform/present.ts';
import * as reads from '../environments/environment.reads.ts';
import { typesLike } from '../environments/environment-kind.reads.ts';
import { toEnvironment } from '../environments/environment-view.ts';
import * as environments from './environment.service.ts';
import { EXPORTED_ENVIRONMENTS } from './environment-export.ts';

export function environmentRoutes(app: App): void {
  handle(app, api.putEnvironment, async (ctx, { body }) => {
    const outcome = await environments.putEnvironment(ctx, present(body));
    return `Environment '${body.name}' ${outcome}`;
  });

  handle(app, api.listEnvironments, async (ctx, { params, query }, out) => {
    const filter = fromQuery(query);
    const path = `/environments/${params.org}`;
    const url = environmentUrl(app, params.org);
    if (query.page === undefined && query.per_page === undefined) {
      const { environments, next } = await reads.listEnvironmentsFrom(ctx, filter, query.after);
      if (next) out.header('link', nextLink(app.publicUrl, path, { ...query, after: next }));
      return environments.map((environment) => toEnvironment(environment, params.org, url));
    }
    const { page = 1, per_page = 20 } = query;
    const { total, environments } = await reads.listEnvironmentPage(ctx, filter, page, per_page);
    return {
      environments: environments.map((environment) => toEnvironment(environment, params.org, url)),
      page,
      per_page,
      total_pages: pageCount(total, per_page),
      total_count: total,
      _links: pageLinks(app.publicUrl, path, query, page, per_page, total),
    };
  });

  handleExport(app, api.exportEnvironments, EXPORTED_ENVIRONMENTS, async (ctx, { params, query }) => {
    const filter = fromQuery(query);
    const url = environmentUrl(app, params.org);
    return {
      name: `environments-${params.org}`,
      total: await reads.countEnvironments(ctx, filter),
      pages: pagesAfter(async (after: string | undefined) => {
        const { environments, next } = await reads.listEnvironmentsFrom(ctx, filter, after, EXPORT_BATCH);
        return { items: environments.map((environment) => toEnvironment(environment, params.org, url)), next };
      }),
    };
  });

  handle(app, api.getEnvironment, async (ctx, { params }) =>
    toEnvironment(await reads.readEnvironment(ctx, params.env_name), params.org, environmentUrl(app, params.org)),
  );

  handle(app, api.patchEnvironment, async (ctx, { params, body }) => {
    const outcome = await environments.patchEnvironment(ctx, params.env_name, fromPatch(body));
    return `Environment '${params.env_name}' ${outcome}`;
  });

  handle(app, api.renameEnvironment, async (ctx, { params, body }) => {
    const outcome = await environments.renameEnvironment(ctx, params.env_name, body.new_name);
    return outcome === 'renamed'
      ? `Environment renamed to '${body.new_name}'`
      : `Environment is already named '${body.new_name}'`;
  });

  handle(app, api.archiveEnvironment, async (ctx, { params }) => {
    await environments.archiveEnvironment(ctx, params.env_name);
    return `Environment '${params.env_name}' archived`;
  });

  handle(app, api.joinEnvironment, async (ctx, { params, body }) => {
    const outcome = await environments.joinEnvironment(ctx, params.env_name, body.physical_env_name);
    return outcome === 'joined'
      ? `Environment '${params.env_name}' now includes '${body.physical_env_name}'`
      : `Environment '${params.env_name}' already includes '${body.physical_env_name}'`;
  });

  handle(app, api.attachPolicies, async (ctx, { params, body }) => {
    await environments.attachPolicies(ctx, params.env_name, body.policy_names);
    return 'OK';
  });

  handle(app, api.attachReportOnlyPolicies, async (ctx, { params, body }) => {
    await environments.attachReportOnlyPolicies(ctx, params.env_name, body.policy_names);
    return 'OK';
  });

  handle(app, api.detachReportOnlyPolicies, async (ctx, { params, body }) => {
    await environments.detachReportOnlyPolicies(ctx, params.env_name, body.policy_names);
    return 'OK';
  });

  handle(app, api.promotePolicies, async (ctx, { params, body }) => {
    await environments.promotePolicies(ctx, params.env_name, body.policy_names);
    return 'OK';
  });

  handle(app, api.detachPolicies, async (ctx, { params, body }) => {
    await environments.detachPolicies(ctx, params.env_name, body.policy_names);
    return 'OK';
  });
}

function fromPatch(body: api.EnvironmentPatch) {
  const { expected_report_interval_s: seconds, ...others } = present(body);
  return { ...others, ...(seconds !== undefined && { expected_report_interval_s: seconds === 0 ? null : seconds }) };
}

function fromQuery(query: api.Input<typeof api.exportEnvironments>['query']): reads.EnvironmentFilter {
  const { sort = 'name' } = query;
  return {
    nameContains: query.name,
    types: [query.type ?? []].flat().flatMap((type) => (type === '' ? [] : typesLike(type))),
    tags: [query.tag ?? []].flat(),
    compliances: [query.compliance ?? []].flat(),
    stale: query.stale === undefined ? undefined : query.stale === 'true',
    sort,
    direction: query.sort_direction ?? (sort === 'name' ? 'asc' : 'desc'),
  };
}

function environmentUrl(app: App, org: string): string {
  return `${app.publicUrl}/${org}/environments`;
}
