import type { ComplianceDay } from '@waymark/contract';

export type DayPart = 'compliant' | 'non-compliant' | 'unknown' | 'no-data';

/** From the bottom to the top of a day: failing on top of compliant. */
export const DAY_PARTS: readonly DayPart[] = ['compliant', 'unknown', 'no-data', 'non-compliant'];

const DAY_PART_WORDS: Readonly<Record<DayPart, string>> = {
  compliant: 'compliant',
  'non-compliant': 'non-compliant',
  unknown: 'not evaluated',
  'no-data': 'without reports',
};

type Times = Pick<ComplianceDay, 'compliant' | 'non_compliant' | 'unknown' | 'no_data'>;

function secondsOf(day: Times, part: DayPart): number {
  if (part === 'non-compliant') return day.non_compliant;
  return part === 'no-data' ? day.no_data : day[part];
}

/** The share of each state in the part of the day that has passed since the first report; all 0 on a day before it. */
export function sharesOf(day: Times): Readonly<Record<DayPart, number>> {
  const all = DAY_PARTS.reduce((sum, part) => sum + secondsOf(day, part), 0);
  const share = (part: DayPart) => (all === 0 ? 0 : secondsOf(day, part) / all);
  return {
    compliant: share('compliant'),
    'non-compliant': share('non-compliant'),
    unknown: share('unknown'),
    'no-data': share('no-data'),
  };
}

/** Such as `86%`. Never rounded up to 100% or down to 0%. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return 'under 1%';
  if (share > 0.99 && share < 1) return 'over 99%';
  return `${Math.round(share * 100)}%`;
}

/** All days as one. */
export function sumOf(days: readonly Times[]): Times {
  return days.reduce<Times>(
    (sum, day) => ({
      compliant: sum.compliant + day.compliant,
      non_compliant: sum.non_compliant + day.non_compliant,
      unknown: sum.unknown + day.unknown,
      no_data: sum.no_data + day.no_data,
    }),
    { compliant: 0, non_compliant: 0, unknown: 0, no_data: 0 },
  );
}

/** Whether the day is before the first report. */
export function isBefore(day: Times): boolean {
  return DAY_PARTS.every((part) => secondsOf(day, part) === 0);
}

/** Such as `94% compliant, 6% non-compliant`. */
export function wordsOf(day: Times): string {
  if (isBefore(day)) return 'no report yet';
  const shares = sharesOf(day);
  return (['compliant', 'non-compliant', 'unknown', 'no-data'] as const)
    .filter((part) => shares[part] > 0)
    .map((part) => `${percent(shares[part])} ${DAY_PART_WORDS[part]}`)
    .join(', ');
}
