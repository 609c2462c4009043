import * as api from '@waymark/contract';
import type { App } from '../../../platform/http/app.ts';
import { handlePrepared } from '../../../platform/http/handle.ts';
import { attemptNow, type DeliveryParts } from '../queue/attempt.service.ts';
import { type TestOutcome, testTarget } from './target-test.service.ts';

export function targetTestRoutes(app: App, parts: DeliveryParts): void {
  // Before any transaction, as it waits for the receiver.
  handlePrepared(
    app,
    api.testTarget,
    (ctx, { params }) =>
      testTarget(ctx, params.target_id, (deliveryId) => attemptNow({ ...parts, log: ctx.log }, ctx.org, deliveryId)),
    async (_ctx, _input, _out, outcome) => toResult(outcome),
  );
}

function toResult(outcome: TestOutcome): api.TestResult {
  return {
    delivered: outcome.delivered,
    delivery_ids: [...outcome.deliveryIds],
    status: outcome.status,
    error: outcome.error,
    latency_ms: outcome.latencyMs,
  };
}
