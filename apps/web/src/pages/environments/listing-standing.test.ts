import { expect, it } from 'vitest';
import { standingOf } from './listing-standing.ts';

const NOW = 1_800_000_000;
const DAY = 86_400;

it.each([
  [{ ended_at: NOW - 5, expires_at: NOW + DAY }, 'ended'],
  [{ ended_at: null, expires_at: null }, 'in force'],
  [{ ended_at: null, expires_at: NOW + 8 * DAY }, 'in force'],
  [{ ended_at: null, expires_at: NOW + DAY }, 'soon'],
  [{ ended_at: null, expires_at: NOW }, 'expired'],
  [{ ended_at: null, expires_at: NOW - 120 }, 'expired'],
])('%o is %s', (listing, standing) => expect(standingOf(listing, NOW)).toBe(standing));
