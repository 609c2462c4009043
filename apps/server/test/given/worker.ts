import { reevaluationProcessor } from '../../src/features/runtime-verdicts/reevaluation/reevaluation.processor.ts';
import { takeReevaluations } from '../../src/features/runtime-verdicts/reevaluation/reevaluation-queue.ts';
import { noLog, type TestApi } from '../harness.ts';
import { givenTurns, repeatUntilTestEnds } from './turns.ts';

/** The processor that queues re-evaluations, and a worker that does them when the test says so. */
export async function givenReevaluations(api: TestApi, wake: () => void = () => undefined) {
  const turns = await givenTurns(api, reevaluationProcessor(wake));
  const takeQueued = () => takeReevaluations({ db: api.db, log: noLog });
  return {
    turns,
    takeQueued,
    /** Processes entries and re-evaluations until nothing is left to do. */
    async settle(): Promise<void> {
      do await turns.untilDone();
      while ((await takeQueued()) > 0);
    },
  };
}

/** Re-evaluates what has changed, as the worker does, until the test ends. Time passes meanwhile. */
export async function givenVerdictWorker(api: TestApi): Promise<void> {
  const { turns, takeQueued } = await givenReevaluations(api);
  repeatUntilTestEnds(async () => {
    api.clock.now = new Date();
    await turns.take();
    await takeQueued();
  });
}
