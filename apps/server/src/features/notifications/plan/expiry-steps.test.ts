import { expect, it } from 'vitest';
import { daysLeft, stepsUntil, stepWindows } from './expiry-steps.ts';

const DAY = 86_400_000;
const now = new Date('2026-11-15T12:00:00Z');
const days = (count: number) => new Date(now.getTime() + count * DAY);

it('has one window for each step, side by side, down to a week after the expiry', () => {
  expect(stepWindows(now, undefined)).toEqual([
    { step: 30, from: days(14), until: days(30) },
    { step: 14, from: days(7), until: days(14) },
    { step: 7, from: days(3), until: days(7) },
    { step: 3, from: days(1), until: days(3) },
    { step: 1, from: days(0), until: days(1) },
    { step: 0, from: days(-7), until: days(0) },
  ]);
});

it('leaves out steps that had come by the last search', () => {
  const hour = 1 / 24;
  expect(stepWindows(now, days(-hour))).toEqual(
    [30, 14, 7, 3, 1, 0].map((step) => ({ step, from: days(step - hour), until: days(step) })),
  );
  expect(stepWindows(now, days(-100))).toEqual(stepWindows(now, undefined));
});

it('returns the steps since the key was created', () => {
  const key = (lived: number) => ({ created_at: days(-lived), expires_at: now });
  expect(stepsUntil(key(90), 7)).toEqual([30, 14, 7]);
  expect(stepsUntil(key(10), 0)).toEqual([7, 3, 1, 0]);
  expect(stepsUntil(key(7), 3)).toEqual([3]);
  expect(stepsUntil(key(7 + 1 / DAY), 3)).toEqual([7, 3]);
  expect(stepsUntil(key(0.5), 0)).toEqual([0]);
});

it('counts started days, and none after the expiry', () => {
  expect([14, 13.9, 1, 0.001, 0, -0.5, -7].map((left) => daysLeft(days(left), now))).toEqual([14, 14, 1, 1, 0, 0, 0]);
});
