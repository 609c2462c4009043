import { reevaluate } from '../../src/features/runtime-verdicts/reevaluation/reevaluate.service.ts';
import { systemCtx } from '../../src/platform/ctx.ts';
import { type Answer, noLog, type TestApi } from '../harness.ts';
import { type Cause, type Environment, type RuntimeModel, reevaluateModel } from './runtime-model.ts';

/** The result of an operation, which is compared at once, and the environments that it may have changed. */
export interface Led {
  readonly expected: unknown;
  readonly actual: unknown;
  readonly changed?: readonly Environment[];
}

export function statusOf(
  expected: number,
  { status, body }: Answer<unknown>,
  changed: readonly Environment[] = [],
): Led {
  return { expected, actual: status === expected ? status : { status, body }, changed };
}

/** Re-evaluates these environments in one transaction, as a worker does some time after something was recorded. */
export async function reevaluateBoth(
  api: TestApi,
  model: RuntimeModel,
  cause: Cause,
  environments: readonly Environment[],
  fingerprints?: readonly string[],
): Promise<Led> {
  const reevaluated = environments.filter((environment) => reevaluateModel(model, environment, cause, fingerprints));
  const ctx = { ...systemCtx(api.db, api.org.id, 'verdicts', noLog), now: () => api.clock.now };
  const requests = environments.map(({ id }) => ({
    environmentId: id,
    causes: [cause],
    ...(fingerprints && { fingerprints }),
  }));
  const made = await reevaluate(ctx, requests);
  return {
    expected: Object.fromEntries(reevaluated.map(({ id, snapshots }) => [id, snapshots.length])),
    actual: Object.fromEntries(made),
    changed: environments,
  };
}
