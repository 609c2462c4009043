import * as api from '@waymark/contract';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import { findEnvironmentByName } from '../../environments/environment.reads.ts';
import { listDayEnvironments, listNamedDayEnvironments, readComplianceDays } from './compliance-day.reads.ts';
import { readTimeline } from './timeline.reads.ts';
import { daysUntil, windowOf } from './window.ts';

export function timelineRoutes(app: App): void {
  handle(app, api.getTimeline, async (ctx, { params, query }) => {
    const environment = await findEnvironmentByName(ctx, params.env_name);
    const { page = 1, per_page: perPage = 50, runs: maxRuns = 2_000, name } = query;
    return readTimeline(ctx, environment, windowOf(query, ctx.now()), { nameContains: name, page, perPage, maxRuns });
  });

  handle(app, api.listComplianceDays, async (ctx, { query }) => {
    const { page = 1, per_page: perPage = 20, environment } = query;
    const names = environment === undefined ? undefined : [environment].flat();
    const days = daysUntil(query.until, query.days ?? 30, ctx.now());
    const found = names
      ? await ofOnePage(listNamedDayEnvironments(ctx, names))
      : { ...(await listDayEnvironments(ctx, page, perPage)), page, perPage };
    return {
      from: days.from / 1000,
      to: (days.from + days.count * days.length) / 1000,
      days: Array.from({ length: days.count }, (_, day) => (days.from + day * days.length) / 1000),
      page: found.page,
      per_page: found.perPage,
      total_count: found.total,
      environments: await readComplianceDays(ctx, found.environments, days),
    };
  });
}

async function ofOnePage<T>(named: Promise<readonly T[]>) {
  const environments = await named;
  return { environments, total: environments.length, page: 1, perPage: Math.max(1, environments.length) };
}
