import { sequenceAll } from '../../src/platform/journal/pass.ts';
import type { TestApi } from '../harness.ts';

export interface Feed {
  /** Puts the journal in order and wakes all listeners, as the sequencer of a worker does. */
  untilDone(): Promise<void>;
}

export function givenFeed(api: TestApi): Feed {
  return {
    async untilDone() {
      await sequenceAll(api.db);
      const orgs = await api.db.selectFrom('org').select('id').execute();
      api.listeners.wake(orgs.map(({ id }) => id));
    },
  };
}
