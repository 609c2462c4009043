import * as api from '@waymark/contract';
import { unavailable } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { handleProgress } from '../../platform/http/progress.ts';
import { simulate } from './simulation.service.ts';
import { readTrial } from './trial.ts';

const DEADLINE_MS = 60_000;
/** In one server: each keeps some connections to the database busy that others wait for. */
const AT_ONCE = { everywhere: 4, inOrg: 2 };

export function simulationRoutes(app: App): void {
  const admit = createGate();

  handleProgress(app, api.simulatePolicy, async (ctx, { body }, { stopped, tell }) => {
    const trial = await readTrial(ctx, body);
    const leave = admit(ctx.org);
    try {
      return await simulate(ctx, trial, { stopped, deadline: AbortSignal.timeout(DEADLINE_MS), tell });
    } finally {
      leave();
    }
  });
}

/** Whoever comes in calls what it gives when they are done. */
function createGate(): (org: string) => () => void {
  const inside: string[] = [];
  return (org) => {
    const same = inside.filter((one) => one === org).length;
    if (inside.length >= AT_ONCE.everywhere || same >= AT_ONCE.inOrg) {
      throw unavailable('Too many simulations are running already', { retryAfterSeconds: 5 });
    }
    inside.push(org);
    return () => void inside.splice(inside.indexOf(org), 1);
  };
}
