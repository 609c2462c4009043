import { expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';
import { newId } from '../ids.ts';
import { LANES } from './lanes.ts';
import { beat, declareLanes, rebalance, release } from './leases.ts';

const api = await startApi();

it('keeps a worker alive and its lanes with it while a turn takes long', async () => {
  const [busy, other] = [newId(), newId()];
  await declareLanes(api.db, [{ name: 'slow', begins: 'now' }]);
  await beat(api.db, busy, 600);
  expect(await rebalance(api.db, busy, ['slow'])).toHaveLength(LANES);

  await api.db.transaction().execute(async (turn) => {
    await turn.selectFrom('processor_position').select('lane').where('lane', '=', 0).forUpdate().execute();

    // Each of these would wait for the end of the turn if it asked for the locked row.
    await beat(api.db, busy, 600);
    expect(await rebalance(api.db, busy, ['slow'])).toHaveLength(LANES);
    await beat(api.db, other, 600);
    const held = await rebalance(api.db, busy, ['slow']);
    const taken = await rebalance(api.db, other, ['slow']);
    expect([held.length, taken.length]).toEqual([LANES / 2, LANES / 2]);
    expect(held).toContainEqual({ processor: 'slow', lane: 0 });
  });
  for (const worker of [busy, other]) await release(api.db, worker);
});

it('takes the lanes of a worker that has stopped saying that it lives', async () => {
  const [dead, heir] = [newId(), newId()];
  await declareLanes(api.db, [{ name: 'orphaned', begins: 'now' }]);
  await beat(api.db, dead, 600);
  await rebalance(api.db, dead, ['orphaned']);
  await beat(api.db, heir, 600);
  expect(await rebalance(api.db, heir, ['orphaned'])).toEqual([]);

  await beat(api.db, dead, -1);

  expect(await rebalance(api.db, heir, ['orphaned'])).toHaveLength(LANES);
  await release(api.db, heir);
});
