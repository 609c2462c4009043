import type { ComplianceDay } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { cellOf, dayWidth, describeDay, nextCell, percent, stepOf } from './heat-map.ts';

const day = (more: Partial<ComplianceDay>): ComplianceDay => ({
  compliant: 0,
  non_compliant: 0,
  unknown: 0,
  no_data: 0,
  waived: false,
  snapshots: 0,
  ...more,
});

describe('a day', () => {
  it('is the share of the judged time that was compliant', () => {
    expect(cellOf(day({ compliant: 64_800, non_compliant: 21_600 }))).toEqual({
      share: 0.75,
      staleShare: 0,
      isBefore: false,
      isUnjudged: false,
    });
  });

  it('does not count stale time as a state', () => {
    expect(cellOf(day({ compliant: 43_200, no_data: 43_200 }))).toMatchObject({ share: 1, staleShare: 0.5 });
    expect(cellOf(day({ no_data: 86_400 }))).toEqual({
      share: null,
      staleShare: 1,
      isBefore: false,
      isUnjudged: false,
    });
  });

  it('before the first report is blank, not stale', () => {
    expect(cellOf(day({}))).toEqual({ share: null, staleShare: 0, isBefore: true, isUnjudged: false });
    expect(describeDay(day({}))).toBe('before the first report');
  });

  it('without a policy is not judged', () => {
    expect(cellOf(day({ unknown: 86_400 }))).toMatchObject({ share: null, staleShare: 0, isUnjudged: true });
  });

  it('is described in words', () => {
    expect(describeDay(day({ compliant: 86_400 }))).toBe('100% compliant');
    expect(describeDay(day({ compliant: 82_800, non_compliant: 3_600, waived: true }))).toBe(
      '95.8% compliant, non-compliant for 1 h, with a waiver',
    );
    expect(describeDay(day({ no_data: 86_400 }))).toBe('no reports');
    expect(describeDay(day({ unknown: 86_400 }))).toBe('not evaluated');
    expect(describeDay(day({ compliant: 82_800, no_data: 3_600 }))).toBe('100% compliant, stale for 1 h');
  });
});

it('never shows less than all as all', () => {
  expect(percent(0.99999)).toBe('99.9%');
  expect(percent(0.00001)).toBe('0.1%');
  expect([1, 0.9999, 0.95, 0.5, 0.2].map(stepOf)).toEqual([4, 3, 2, 1, 0]);
});

it('moves from cell to cell and not beyond the last', () => {
  expect(nextCell('ArrowRight', [0, 28], [2, 30])).toEqual([0, 29]);
  expect(nextCell('ArrowRight', [0, 29], [2, 30])).toEqual([0, 29]);
  expect(nextCell('ArrowUp', [0, 3], [2, 30])).toEqual([0, 3]);
  expect(nextCell('End', [1, 3], [2, 30])).toEqual([1, 29]);
  expect(nextCell('Enter', [1, 3], [2, 30])).toBeUndefined();
});

it('a quarter fits beside the names on a page of 1,280 pixels', () => {
  expect(dayWidth(90) * 90).toBeLessThan(960);
  expect(dayWidth(30)).toBeGreaterThan(dayWidth(90));
});
