import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { recheckProcessor } from '../../src/features/snapshots/recheck.processor.ts';
import { takeRechecks } from '../../src/features/snapshots/recheck.ts';
import { LANES } from '../../src/platform/journal/lanes.ts';
import { takeTurn } from '../../src/platform/journal/processor.ts';
import { silent, type TestApi } from '../harness.ts';

const HOLDER = '00000000-0000-7000-8000-000000000003';
const LOOK_EVERY_MS = 50;

/** Judges again what has changed, as the worker does, until the test ends. Time passes meanwhile. */
export async function givenVerdictWorker(api: TestApi): Promise<void> {
  const processor = recheckProcessor(() => undefined);
  const lanes = Array.from({ length: LANES }, (_, lane) => lane);
  await api.db
    .insertInto('processor_position')
    .values(lanes.map((lane) => ({ processor: processor.name, lane, holder: HOLDER })))
    .execute();
  const work = async () => {
    for (const lane of lanes) await takeTurn({ db: api.db, processor, lane, holder: HOLDER });
    await takeRechecks({ db: api.db, log: silent });
  };
  const stopping = new AbortController();
  const stopped = (async () => {
    while (!stopping.signal.aborted) {
      api.clock.now = new Date();
      await work();
      await sleep(LOOK_EVERY_MS);
    }
  })();
  onTestFinished(() => {
    stopping.abort();
    return stopped;
  });
}
