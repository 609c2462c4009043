import { afterEach, expect, it, vi } from 'vitest';
import { type Crowding, watchCrowding } from './crowding.ts';

const LIMITS = {
  lateMs: 10,
  crowded: { least: 4, most: 32, slowMs: 25 },
  alone: { least: 8, most: 64, slowMs: 250 },
};

let crowding: Crowding;
let clock: number;

/** Simulates an event loop that is late by this many milliseconds, again and again. */
function turn(everyMs: number, times: number): void {
  for (let i = 0; i < times; i++) {
    clock += everyMs;
    vi.advanceTimersByTime(20);
  }
}

function given(): void {
  vi.useFakeTimers();
  clock = 0;
  crowding = watchCrowding(LIMITS, () => clock);
}

afterEach(() => {
  crowding.stop();
  vi.useRealTimers();
});

it('allows as much as ever while the event loop is in time', () => {
  given();
  turn(21, 100);
  expect(crowding.crowded()).toBe(32);
});

it('allows less and less while it is late all the time, but never nothing', () => {
  given();
  turn(40, 6);
  expect(crowding.crowded()).toBeLessThan(32);
  turn(40, 100);
  expect(crowding.crowded()).toBe(4);
});

it('bears one long piece of work among short ones', () => {
  given();
  for (let i = 0; i < 20; i++) {
    turn(21, 4);
    turn(80, 1);
  }
  expect(crowding.crowded()).toBe(32);
});

it('allows more again, little by little, when it is in time again', () => {
  given();
  turn(40, 100);
  turn(21, 25);
  const soon = crowding.crowded();
  expect(soon).toBeGreaterThan(4);
  expect(soon).toBeLessThan(16);
  turn(21, 200);
  expect(crowding.crowded()).toBe(32);
});

it('allows less of work that takes a little longer while others ask, and as much as ever alone', () => {
  given();
  for (let i = 0; i < 100; i++) crowding.note(40);
  turn(21, 100);
  expect([crowding.alone(), crowding.crowded()]).toEqual([64, 4]);
});

it('allows less of work that takes long, alone or not, and more again when it does not', () => {
  given();
  for (let i = 0; i < 100; i++) crowding.note(400);
  turn(21, 5);
  expect(crowding.alone()).toBeLessThan(64);
  turn(21, 100);
  expect([crowding.alone(), crowding.crowded()]).toEqual([8, 4]);
  for (let i = 0; i < 100; i++) crowding.note(20);
  turn(21, 400);
  expect([crowding.alone(), crowding.crowded()]).toEqual([64, 32]);
});
