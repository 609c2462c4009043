import { afterAll, beforeAll, expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import type { LoopResult } from './open-loop.ts';
import { givenStage, type Stage } from './stage.ts';

const STEP_SECONDS = isFull ? 20 : 3;
/** Congestion is noticed after a second; before that, everything waits. */
const WARM_UP_SECONDS = isFull ? 10 : 0;
const FIRST_PER_SECOND = isFull ? 40 : 20;
const STEPS = isFull ? 12 : 1;
/** Rates are compared in alternation, as the machine may be faster in one minute than in the next. */
const ROUNDS = isFull ? 3 : 1;
const GROWTH = 1.25;
/** A rate is sustained when at most one request in a hundred is late; a refused one counts as late. */
const CARRIED = 0.99;

const cleanUps: (() => void | Promise<void>)[] = [];
const rows: string[] = [];
let stage: Stage;

beforeAll(async () => {
  stage = await givenStage((work) => void cleanUps.unshift(work));
});

afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
  console.log(['asked a second | good within a second | p50 | p99 | answers', ...rows].join('\n'));
});

async function measure(perSecond: number, warmUpSeconds = 0): Promise<LoopResult> {
  const result = await stage.ordinaryWork(perSecond * STEP_SECONDS, perSecond, perSecond * warmUpSeconds);
  rows.push(`${perSecond} | ${result.goodput} | ${result.p50} | ${result.p99} | ${JSON.stringify(result.answers)}`);
  return result;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function findSaturation(): Promise<number> {
  let saturation = FIRST_PER_SECOND;
  for (let step = 0, perSecond = FIRST_PER_SECOND; step < STEPS; step++, perSecond = Math.round(perSecond * GROWTH)) {
    const { goodput } = await measure(perSecond);
    if (goodput < CARRIED * perSecond) break;
    saturation = perSecond;
  }
  return saturation;
}

it('does as much at twice and five times the load that it can carry', async () => {
  const saturation = await findSaturation();
  const goodputs = new Map<number, number[]>([1, GROWTH, 2, 5].map((times) => [times, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [times, reached] of goodputs) {
      const { goodput, answers } = await measure(Math.round(saturation * times), times === 1 ? 0 : WARM_UP_SECONDS);
      expect(Object.keys(answers).filter((status) => !['200', '201', '429', '503'].includes(status))).toEqual([]);
      reached.push(goodput);
    }
  }
  const medians = Array.from(goodputs, ([times, reached]) => ({ times, goodput: median(reached) }));
  const peak = Math.max(...medians.map(({ goodput }) => goodput));
  rows.push(
    ...medians.map(({ times, goodput }) => `${times} times ${saturation}: ${(goodput / peak).toFixed(2)} of ${peak}`),
  );
  if (isFull)
    for (const { times, goodput } of medians) if (times >= 2) expect(goodput / peak).toBeGreaterThanOrEqual(0.9);
});
