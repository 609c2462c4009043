import type { ComplianceDay } from '@waymark/contract';
import { duration } from '../lib/time.ts';

interface DayCell {
  /** The compliant share of the judged time; null when none was judged. */
  readonly share: number | null;
  /** The share of the elapsed day without reports. */
  readonly staleShare: number;
  /** The day is before the first report: none of it counts. */
  readonly isBefore: boolean;
  /** Something was reported, and no policy judged it. */
  readonly isUnjudged: boolean;
}

export function cellOf({ compliant, non_compliant, unknown, no_data }: ComplianceDay): DayCell {
  const judged = compliant + non_compliant;
  const whole = judged + unknown + no_data;
  return {
    share: judged > 0 ? compliant / judged : null,
    staleShare: whole > 0 ? no_data / whole : 0,
    isBefore: whole === 0,
    isUnjudged: judged === 0 && unknown > 0,
  };
}

/** From 0, nothing, to 4, all of it. Less than all is never drawn as all. */
export function stepOf(share: number): 0 | 1 | 2 | 3 | 4 {
  if (share >= 1) return 4;
  if (share >= 0.99) return 3;
  if (share >= 0.9) return 2;
  return share >= 0.5 ? 1 : 0;
}

/** Such as `99.9%`. Never rounded up to 100, nor down to 0. */
export function percent(share: number): string {
  if (share >= 1) return '100%';
  if (share <= 0) return '0%';
  const shown = Math.min(99.9, Math.max(0.1, Math.round(share * 1000) / 10));
  return `${shown}%`;
}

/** Describes a day in words, for those who do not see its color. */
export function describeDay(day: ComplianceDay): string {
  const { share, staleShare, isBefore, isUnjudged } = cellOf(day);
  if (isBefore) return 'before the first report';
  const parts = [
    share === null ? (isUnjudged ? 'not evaluated' : 'no reports') : `${percent(share)} compliant`,
    share !== null && day.non_compliant > 0 && `non-compliant for ${duration(day.non_compliant)}`,
    share !== null && staleShare > 0 && `stale for ${duration(day.no_data)}`,
    day.waived && 'with a waiver',
  ];
  return parts.filter(Boolean).join(', ');
}

/** Where an arrow key leads in a grid; undefined for other keys. */
export function nextCell(
  key: string,
  [row, column]: readonly [number, number],
  [rows, columns]: readonly [number, number],
): readonly [number, number] | undefined {
  switch (key) {
    case 'ArrowLeft':
      return [row, Math.max(0, column - 1)];
    case 'ArrowRight':
      return [row, Math.min(columns - 1, column + 1)];
    case 'ArrowUp':
      return [Math.max(0, row - 1), column];
    case 'ArrowDown':
      return [Math.min(rows - 1, row + 1), column];
    case 'Home':
      return [row, 0];
    case 'End':
      return [row, columns - 1];
    default:
      return undefined;
  }
}

/** Whether a period is too long for days of the usual width. */
export function isLong(days: number): boolean {
  return days > 45;
}

/** The least width of a day in pixels: a quarter fits into a page. */
export function dayWidth(days: number): number {
  return isLong(days) ? 10 : 23;
}
