import * as api from '@waymark/contract';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import { nextLink } from '../../../platform/http/links.ts';
import { fromEpochSeconds } from '../../../platform/time.ts';
import * as reads from './delivery.reads.ts';
import * as deliveries from './delivery.service.ts';
import { toDelivery, toDetail } from './delivery-view.ts';

const PER_PAGE = 50;

export function deliveryRoutes(app: App): void {
  handle(app, api.listDeliveries, async (ctx, { params, query }, out) => {
    const { per_page = PER_PAGE, after } = query;
    const { deliveries, next } = await reads.listDeliveries(ctx, fromQuery(query), per_page, after);
    const path = `/organizations/${params.org}/deliveries`;
    if (next) out.header('link', nextLink(app.publicUrl, path, { ...query, after: next }));
    return deliveries.map(toDelivery);
  });

  handle(app, api.getDelivery, async (ctx, { params }) => {
    const row = await reads.readDelivery(ctx, params.delivery_id);
    return toDetail(row, await reads.listAttempts(ctx, row.id), params.org, app.publicUrl);
  });

  handle(app, api.redeliver, async (ctx, { params }) => {
    await deliveries.redeliver(ctx, params.delivery_id);
    return toDelivery(await reads.readDelivery(ctx, params.delivery_id));
  });

  handle(app, api.redeliverRange, async (ctx, { body }) => {
    const { redelivered, next } = await deliveries.redeliverRange(ctx, fromBody(body));
    return { redelivered, next: next ?? null };
  });
}

function fromQuery(query: api.Input<typeof api.listDeliveries>['query']): reads.DeliveryFilter {
  return {
    ...(query.state !== undefined && { state: query.state }),
    ...(query.target_id !== undefined && { targetId: query.target_id }),
    ...(query.notification !== undefined && { notification: query.notification }),
    ...(query.test !== undefined && { isTest: query.test === 'true' }),
    ...(typeof query.from_timestamp === 'number' && { from: fromEpochSeconds(query.from_timestamp) }),
    ...(typeof query.to_timestamp === 'number' && { to: fromEpochSeconds(query.to_timestamp) }),
  };
}

/** On the wire null counts as absent. */
function fromBody(body: api.Input<typeof api.redeliverRange>['body']): deliveries.RedeliveryRange {
  return {
    from: fromEpochSeconds(body.from_timestamp),
    to: fromEpochSeconds(body.to_timestamp),
    state: body.state ?? 'failed',
    ...(body.target_id != null && { targetId: body.target_id }),
    ...(body.notification != null && { notification: body.notification }),
    ...(body.after != null && { after: body.after }),
  };
}
