import { reevaluationProcessor } from '../../src/features/runtime-verdicts/reevaluation/reevaluation.processor.ts';
import { takeReevaluations } from '../../src/features/runtime-verdicts/reevaluation/reevaluation-queue.ts';
import { noLog, type TestApi } from '../harness.ts';
import { givenTurns, repeatUntilTestEnds } from './turns.ts';

/** Re-evaluates what has changed, as the worker does, until the test ends. Time passes meanwhile. */
export async function givenVerdictWorker(api: TestApi): Promise<void> {
  const turns = await givenTurns(
    api,
    reevaluationProcessor(() => undefined),
  );
  repeatUntilTestEnds(async () => {
    api.clock.now = new Date();
    await turns.take();
    await takeReevaluations({ db: api.db, log: noLog });
  });
}
