import { afterAll, beforeAll, expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import type { LoopResult } from './open-loop.ts';
import { givenStage, type Stage } from './stage.ts';

const STEP_SECONDS = isFull ? 20 : 3;
/** A row that stands is noticed after a second; before that, everything waits in it. */
const WARM_UP_SECONDS = isFull ? 10 : 0;
const FIRST_PER_SECOND = isFull ? 40 : 20;
const STEPS = isFull ? 12 : 1;
const GROWTH = 1.25;
/** A rate is carried when at most one request in a hundred is late, and who is refused is not served in time either. */
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

it('does as much at twice and five times the load that it can carry', async () => {
  let saturation = FIRST_PER_SECOND;
  const reached: number[] = [];
  for (let step = 0, perSecond = FIRST_PER_SECOND; step < STEPS; step++, perSecond = Math.round(perSecond * GROWTH)) {
    const { goodput } = await measure(perSecond);
    reached.push(goodput);
    if (goodput < CARRIED * perSecond) break;
    saturation = perSecond;
  }
  const overloaded: number[] = [];
  for (const times of [2, 5]) {
    const { goodput, answers } = await measure(saturation * times, WARM_UP_SECONDS);
    expect(Object.keys(answers).filter((status) => !['200', '201', '429', '503'].includes(status))).toEqual([]);
    reached.push(goodput);
    overloaded.push(goodput);
  }
  if (isFull) expect(Math.min(...overloaded)).toBeGreaterThanOrEqual(0.9 * Math.max(...reached));
});
