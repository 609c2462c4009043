import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { attacks } from './attacks.ts';
import { givenStage, type Stage } from './stage.ts';

const REQUESTS = isFull ? 2_000 : 20;
/** How much slower the slowest hundredth of a neighbor's requests may get. */
const MAX_SLOWDOWN = 3;

const cleanUps: (() => void | Promise<void>)[] = [];
let stage: Stage;
const alone: number[] = [];
const rows: string[] = [];

beforeAll(async () => {
  stage = await givenStage((work) => void cleanUps.unshift(work));
  await stage.ordinaryWork(REQUESTS / 4);
  alone.push((await stage.ordinaryWork(REQUESTS)).p99);
}, 600_000);

afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
  console.log(['attack | p50 | p99 | answers', ...rows].join('\n'));
}, 120_000);

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe('while the other org does this, ordinary work goes on', () => {
  it.each(attacks)(
    '$name',
    async ({ name, prepare, start }) => {
      await prepare?.(stage);
      const stop = await start(stage);
      const { answers, p50, p99 } = await stage.ordinaryWork(REQUESTS);
      const attacked = await stop();
      rows.push(`${name} | ${p50} | ${p99} | ${JSON.stringify(answers)} | ${JSON.stringify(attacked ?? '')}`);
      expect(Object.keys(answers).filter((status) => !status.startsWith('2'))).toEqual([]);
      if (isFull) expect(p99).toBeLessThanOrEqual(MAX_SLOWDOWN * median(alone));
    },
    600_000,
  );

  it('and is as quick as before when it is over', async () => {
    alone.push((await stage.ordinaryWork(REQUESTS)).p99);
    rows.push(`alone | p99 before and after: ${alone.join(', ')}`);
    if (isFull) expect(alone.at(-1)).toBeLessThanOrEqual(MAX_SLOWDOWN * (alone[0] ?? 0));
  });
});
