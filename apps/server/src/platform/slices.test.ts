import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSlices, type Slice } from './slices.ts';

/** Every unit of work takes a millisecond of a clock that nothing else advances. */
function atWork() {
  let clock = 0;
  const slices = createSlices(() => clock);
  const log: string[] = [];
  const run = async (slice: Slice, name: string, units: number) => {
    for (let unit = 0; unit < units; unit++) {
      clock += 1;
      log.push(name);
      if (slice.isOver()) await slice.next();
    }
  };
  const moveClock = (ms: number) => {
    clock += ms;
  };
  return { slices, log, run, moveClock };
}

/** How often the event loop turned until the work was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work;
  isDone = true;
  return turns;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('lets the event loop turn after every 10 ms', async () => {
  const { slices, run } = atWork();
  expect(await turnsDuring(run(slices.begin('acme'), 'a', 1_000))).toBeGreaterThanOrEqual(95);
});

it('gives all work together 10 ms in a turn, however much of it there is', async () => {
  const { slices, log, run } = atWork();
  const works = Array.from({ length: 50 }, (_, number) => run(slices.begin('acme'), `${number}`, 20));
  // Each begins with one unit; after ten of them no work continues in this turn.
  expect(log.length).toBeLessThan(70);
  await nextTurn();
  expect(log.length).toBeLessThan(80);
  await Promise.all(works);
  expect(log.length).toBe(1_000);
});

it('puts an org that used little before one that used much', async () => {
  const { slices, log, run } = atWork();
  const many = Array.from({ length: 20 }, () => run(slices.begin('noisy'), 'noisy', 200));
  await nextTurn();
  await nextTurn();
  const before = log.length;
  await run(slices.begin('quiet'), 'quiet', 25);
  // Two or three slices of its own, and the one that was running when it came.
  expect(log.slice(before).filter((name) => name === 'noisy').length).toBeLessThan(60);
  await Promise.all(many);
});

describe('while another org asks for something', () => {
  const afterTurns = async () => {
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };

  function givenRest() {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const work = atWork();
    work.slices.noteAsking('neighbor');
    const pass = async (ms: number) => {
      work.moveClock(ms);
      vi.advanceTimersByTime(ms);
      await afterTurns();
    };
    return { ...work, pass };
  }

  it('rests as long as it worked', async () => {
    const { slices, log, run, pass } = givenRest();
    const work = run(slices.begin('acme'), 'a', 25);
    await afterTurns();
    const first = log.length;
    await pass(9);
    expect(log.length).toBe(first);
    await pass(1);
    expect(log.length).toBe(first + 10);
    await pass(10);
    await work;
    expect(log.length).toBe(25);
  });

  it('does not let an org rest that used little', async () => {
    const { slices, log, run, pass } = givenRest();
    const work = run(slices.begin('noisy'), 'noisy', 25);
    await afterTurns();
    const before = log.length;
    await run(slices.begin('quiet'), 'quiet', 3);
    expect(log.slice(before)).toEqual(['quiet', 'quiet', 'quiet']);
    for (let i = 0; i < 4; i++) await pass(10);
    await work;
  });
});
