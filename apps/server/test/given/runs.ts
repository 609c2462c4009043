import { reportServer } from '@waymark/contract';
import { reevaluate } from '../../src/features/runtime-verdicts/reevaluation/reevaluate.service.ts';
import { systemCtx } from '../../src/platform/ctx.ts';
import { noLog, type TestApi, type TestOrg } from '../harness.ts';
import { environmentOf } from './environments.ts';
import { fingerprint } from './evidence.ts';

/** Exactly these run in a server environment: names mapped to the digit of the fingerprint, or to the whole of it. */
export async function givenRunning(
  api: TestApi,
  environment: string,
  artifacts: Record<string, string>,
  org: TestOrg = api.org,
): Promise<void> {
  const full = (digits: string) => (digits.length === 1 ? fingerprint(digits) : digits);
  const answer = await api.call(reportServer, {
    params: { org: org.name, env_name: environment },
    key: org.keys.snapshotter,
    body: {
      artifacts: Object.entries(artifacts).map(([name, digits]) => ({
        digests: { [name]: full(digits) },
        creationTimestamp: 1,
      })),
    },
  });
  if (answer.status !== 200) throw new Error(`the report was not taken: ${JSON.stringify(answer.body)}`);
}

/** As the worker does when an artifact is reported that already runs. */
export async function reevaluateAll(api: TestApi, environment: string): Promise<void> {
  const { id } = await environmentOf(api, environment);
  const ctx = { ...systemCtx(api.db, api.org.id, 'tests', noLog), now: () => api.clock.now };
  await reevaluate(ctx, [{ environmentId: id, causes: ['provenance'] }]);
}
