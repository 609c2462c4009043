import { reportServer } from '@waymark/contract';
import { reevaluate } from '../../src/features/runtime-verdicts/reevaluation/reevaluate.service.ts';
import { systemCtx } from '../../src/platform/ctx.ts';
import { noLog, type TestApi } from '../harness.ts';
import { environmentOf } from './environments.ts';

/** Reports what a server runs: the fingerprint of each name, with as many instances as there are entries for it. */
export async function givenReport(api: TestApi, env: string, runs: readonly [name: string, fingerprint: string][]) {
  const artifacts = runs.map(([name, fingerprint], i) => ({
    digests: { [name]: fingerprint },
    creationTimestamp: 1_700_000_000 + i,
  }));
  const answer = await api.call(reportServer, { params: { env_name: env }, body: { artifacts } });
  if (answer.status !== 200) throw new Error(`the report was not taken: ${JSON.stringify(answer.body)}`);
}

/** As the worker does after an artifact was reported. */
export async function givenReevaluation(api: TestApi, env: string): Promise<void> {
  const { id } = await environmentOf(api, env);
  const ctx = { ...systemCtx(api.db, api.org.id, 'tests', noLog), now: () => api.clock.now };
  await reevaluate(ctx, [{ environmentId: id, causes: ['provenance'] }]);
}
