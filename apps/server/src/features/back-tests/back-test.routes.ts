import * as api from '@waymark/contract';
import { createFairQueue } from '../../platform/fair-queue.ts';
import type { App } from '../../platform/http/app.ts';
import { handleProgress } from '../../platform/http/progress.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { screenPolicy } from '../policies/policy-text.service.ts';
import { simulate } from './back-test.service.ts';
import { readBackTest } from './back-test.ts';

const DEADLINE_MS = 60_000;

/** Per server: each back-test occupies database connections that others wait for. */
const QUEUE = {
  running: 4,
  runningPerOrg: 2,
  waiting: 16,
  waitingPerOrg: 2,
  patienceMs: 10_000,
  heavyFromMs: DEADLINE_MS / 2,
  refusal: 'Too many back-tests are already running. Try again shortly',
  retryAfterSeconds: 5,
};

export function backTestRoutes(app: App, sandbox: Sandbox): void {
  const queue = createFairQueue(QUEUE);
  app.watchQueue('simulations', queue.figures);

  handleProgress(app, api.simulatePolicy, async (ctx, { body }, { stopped, tell }) => {
    if (body.policy_yaml != null) await screenPolicy(ctx, sandbox, body.policy_yaml);
    const backTest = await readBackTest(ctx, body);
    const run = () => simulate(ctx, backTest, { stopped, deadline: AbortSignal.timeout(DEADLINE_MS), tell });
    return queue.run(ctx.org, run, stopped);
  });
}
