import * as api from '@waymark/contract';
import { type Buckets, bucketsOf } from '../../platform/buckets.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { invalidField } from '../../platform/errors.ts';
import { EXPORT_BATCH, handleExport } from '../../platform/export/handle-export.ts';
import { pagesAfter } from '../../platform/export/pages.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { epochSeconds, fromEpochSeconds } from '../../platform/time.ts';
import { readFlow } from '../flows/flow.reads.ts';
import * as reads from './deployment.reads.ts';
import { EXPORTED_DEPLOYMENTS } from './deployment-export.ts';
import { type DeploymentPlace, decodePlace, encodePlace } from './deployment-place.ts';
import { toDeployment } from './deployment-view.ts';
import { type Frequency, readFrequency } from './frequency.reads.ts';

const DEFAULT_WINDOW_S = 30 * 86_400;

export function deploymentRoutes(app: App): void {
  const page = async (ctx: Ctx, org: string, query: Query, only: Only) => {
    const perPage = query.per_page ?? query.page_size ?? 20;
    const after = query.after === undefined ? undefined : decodePlace(query.after);
    const filter = { environmentIds: only.environmentIds, flowId: only.flowId, ...windowOf(query) };
    const { deployments, next } = await reads.listDeploymentPage(ctx, filter, perPage, after);
    return {
      data: deployments.map((deployment) => toDeployment(deployment, org, app.publicUrl)),
      pagination: { per_page: perPage, next: next ? encodePlace(next) : null },
    };
  };

  handle(app, api.listDeployments, async (ctx, { params, query }) => {
    const flowId = query.flow_name === undefined ? undefined : (await readFlow(ctx, query.flow_name)).id;
    return page(ctx, params.org, query, { flowId });
  });

  handle(app, api.listEnvironmentDeployments, async (ctx, { params, query }) =>
    page(ctx, params.org, query, { environmentIds: await reads.findPhysicalIds(ctx, params.env_name) }),
  );

  handleExport(app, api.exportDeployments, EXPORTED_DEPLOYMENTS, async (ctx, { params, query }) => {
    const filter: reads.DeploymentFilter = {
      environmentIds: query.env_name === undefined ? undefined : await reads.findPhysicalIds(ctx, query.env_name),
      flowId: query.flow_name === undefined ? undefined : (await readFlow(ctx, query.flow_name)).id,
      ...windowOf(query),
    };
    return {
      name: `deployments-${params.org}`,
      total: await reads.countDeployments(ctx, filter, api.EXPORT_MAX + 1),
      pages: pagesAfter(async (after: DeploymentPlace | undefined) => {
        const { deployments, next } = await reads.listDeploymentPage(ctx, filter, EXPORT_BATCH, after);
        return { items: deployments.map((deployment) => toDeployment(deployment, params.org, app.publicUrl)), next };
      }),
    };
  });

  handle(app, api.getDeployment, async (ctx, { params, query }) => {
    const deployment = await reads.readDeployment(ctx, params.env_name, params.fingerprint, query.number);
    return toDeployment(deployment, params.org, app.publicUrl);
  });

  handle(app, api.getDeploymentFrequency, async (ctx, { params, query }) => {
    const { interval = 'day' } = query;
    const environmentIds = await reads.findPhysicalIds(ctx, params.env_name);
    const buckets = bucketsOf(...closedWindowOf(ctx, query), interval);
    return toFrequency(await readFrequency(ctx, environmentIds, buckets), buckets, interval);
  });
}

interface Only {
  readonly environmentIds?: readonly string[];
  readonly flowId?: string | undefined;
}

type Query = api.Input<typeof api.listEnvironmentDeployments>['query'];

function windowOf(query: Pick<Query, 'from' | 'to'>) {
  const from = momentOf(query.from);
  const to = momentOf(query.to);
  if (from && to && from > to) {
    throw invalidField('query.from', 'is after query.to; the earlier time must come first');
  }
  return { from, to };
}

function closedWindowOf(ctx: Ctx, query: Pick<Query, 'from' | 'to'>): [from: Date, to: Date] {
  const { from, to = ctx.now() } = windowOf(query);
  const start = from ?? fromEpochSeconds(Math.max(0, epochSeconds(to) - DEFAULT_WINDOW_S));
  if (start > to) throw invalidField('query.from', 'must not be in the future');
  return [start, to];
}

/** Fractions of seconds are not exact, and milliseconds are what is stored. */
function momentOf(seconds: number | '' | undefined): Date | undefined {
  return seconds === undefined || seconds === '' ? undefined : new Date(Math.round(seconds * 1000));
}

function toFrequency(frequency: Frequency, buckets: Buckets, interval: 'day' | 'week') {
  const counts = [...frequency.counts.values()];
  return {
    from: epochSeconds(buckets.from),
    to: epochSeconds(buckets.to),
    interval,
    total: counts.reduce((sum, count) => sum + count, 0),
    lead_time_seconds: {
      median: toMilliseconds(frequency.overall?.median),
      p90: toMilliseconds(frequency.overall?.p90),
    },
    buckets: Array.from({ length: buckets.count }, (_, bucket) => ({
      start: epochSeconds(buckets.first) + bucket * buckets.seconds,
      deployments: frequency.counts.get(bucket) ?? 0,
      median_lead_time_seconds: toMilliseconds(frequency.leadTimes.get(bucket)?.median),
    })),
  };
}

/** An interpolated lead time has more digits than either of its neighbors. */
function toMilliseconds(seconds: number | undefined): number | null {
  return seconds === undefined ? null : Math.round(seconds * 1000) / 1000;
}
