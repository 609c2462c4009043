import { afterAll, beforeAll, expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import type { LoopResult } from './open-loop.ts';
import { givenStage, type Stage } from './stage.ts';

/** What a caller still finds useful. */
const LATE_MS = 1_000;
const STEP_SECONDS = isFull ? 20 : 3;
/** A row that stands is noticed after a second; before that, everything waits in it. */
const WARM_UP_SECONDS = isFull ? 10 : 0;
const FIRST_PER_SECOND = isFull ? 40 : 20;
const STEPS = isFull ? 12 : 1;
const GROWTH = 1.25;
const REFUSED = '503';

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
  let peak = 0;
  for (let step = 0, perSecond = FIRST_PER_SECOND; step < STEPS; step++, perSecond = Math.round(perSecond * GROWTH)) {
    const { p99, goodput, answers } = await measure(perSecond);
    peak = Math.max(peak, goodput);
    // Who is refused is not served within the time either.
    if (p99 > LATE_MS || REFUSED in answers) break;
    saturation = perSecond;
  }
  for (const times of [2, 5]) {
    const { goodput, answers } = await measure(saturation * times, WARM_UP_SECONDS);
    expect(Object.keys(answers).filter((status) => !['200', '201', '429', '503'].includes(status))).toEqual([]);
    if (isFull) expect.soft(goodput).toBeGreaterThanOrEqual(0.9 * peak);
  }
});
