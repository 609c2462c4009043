import { getFlow, listFlows, putFlow } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { holdRows } from '../../../test/given/held-rows.ts';
import { countHeldUp } from '../../../test/given/held-up.ts';
import { startApi } from '../../../test/harness.ts';

/** Of the ten connections that orgs share. */
const PER_ORG = 5;
const ALONE = 8;

const api = await startApi();
const others = await api.givenOrg('others');

beforeAll(async () => {
  await api.call(putFlow, { body: { name: 'held' } });
});

/** Requests of one org that wait for a locked row until the test releases it. */
async function holdUp(count: number) {
  const letGo = await holdRows(
    api.app.db,
    sql`select from flow where org_id = ${api.org.id} and name = 'held' for update`,
  );
  const asked = Array.from({ length: count }, (_, i) =>
    api.call(putFlow, { body: { name: 'held', description: `change ${i}` } }),
  );
  return {
    async release() {
      await letGo();
      return Promise.all(asked);
    },
  };
}

describe('an org that is alone', () => {
  it('may keep four fifths of them busy', async () => {
    const held = await holdUp(30);
    await expect.poll(() => countHeldUp(api.app.db)).toBe(ALONE);
    await held.release();
  });
});

describe('an org whose requests all wait for a lock', () => {
  it('keeps its share of the database busy and leaves the rest to others', async () => {
    const read = () => api.call(listFlows, { key: others.keys.admin, params: { org: 'others' } });
    await read();
    const held = await holdUp(30);
    await expect.poll(() => countHeldUp(api.app.db)).toBe(PER_ORG);
    await expect.poll(() => api.app.shares.figures()).toMatchObject({ running: PER_ORG, waiting: 30 - PER_ORG });
    for (let i = 0; i < 5; i++) expect((await read()).status).toBe(200);
    expect(await countHeldUp(api.app.db)).toBe(PER_ORG);
    const answers = await held.release();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(api.app.shares.figures()).toMatchObject({ running: 0, waiting: 0 });
  });

  it('is refused when its row is full, and nobody else is', async () => {
    const narrow = await startApi({ shareLimits: { waitingPerOrg: 2, runningAlone: 1, runningPerOrg: 1 } });
    const flood = await Promise.all(
      Array.from({ length: 40 }, (_, i) => narrow.call(putFlow, { body: { name: `flow-${i}` } })),
    );
    const refused = flood.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({
      headers: { 'retry-after': '1' },
      body: { message: 'Too many requests of your org are waiting. Try again shortly' },
    });
    expect((await narrow.call(getFlow, { params: { flow_name: 'flow-0' } })).status).toBe(200);
  });
});
