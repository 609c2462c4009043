import { expect, it } from 'vitest';
import { eventWindow } from './event-window.ts';

const NOW = Date.parse('2026-11-15T13:00:00Z') / 1000;
const at = (text: string) => Date.parse(text) / 1000;

it('is the last thirty days by default', () => {
  expect(eventWindow(undefined, undefined, NOW)).toEqual({
    from: at('2026-10-17T00:00:00Z'),
    to: at('2026-11-15T23:59:59Z'),
    days: 30,
  });
});

it('includes the last of the given days', () => {
  expect(eventWindow('2026-11-01', '2026-11-01', NOW)).toEqual({
    from: at('2026-11-01T00:00:00Z'),
    to: at('2026-11-01T23:59:59Z'),
    days: 1,
  });
});

it('is never reversed, nor longer than the server counts', () => {
  expect(eventWindow('2026-11-09', '2026-11-01', NOW).days).toBe(1);
  expect(eventWindow('2020-01-01', undefined, NOW).days).toBe(400);
  expect(eventWindow('no day', 'none', NOW).days).toBe(30);
});
