import { expect, it, onTestFinished, vi } from 'vitest';
import { createSlices, type Slice } from './slices.ts';

/** Every unit of work takes a millisecond of a clock that nothing else moves. */
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
  return { slices, log, run };
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
  // Each begins with one unit; after ten of them nobody goes on in this turn.
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
  // Two or three slices of its own, and the one that ran when it came.
  expect(log.slice(before).filter((name) => name === 'noisy').length).toBeLessThan(60);
  await Promise.all(many);
});

it('rests as long as it worked while another org asks for something', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { slices, log, run } = atWork();
  slices.noteAsking('neighbor');
  const work = run(slices.begin('acme'), 'a', 25);
  const afterTurns = async () => {
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    return log.length;
  };
  expect(await afterTurns()).toBe(11);
  vi.advanceTimersByTime(9);
  expect(await afterTurns()).toBe(11);
  vi.advanceTimersByTime(1);
  expect(await afterTurns()).toBeGreaterThan(11);
  vi.advanceTimersByTime(20);
  await work;
  expect(log.length).toBe(25);
});
