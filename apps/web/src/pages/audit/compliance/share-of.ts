import type { ComplianceDays } from '@waymark/contract';

type Times = Pick<ComplianceDays, 'environments'>;

const percent = (part: number, whole: number) => `${(Math.floor((part / whole) * 1000) / 10).toLocaleString('en')}%`;

/** Summarizes all environments of the page. Rounded down: 100% means all of the time. */
export function shareOf({ environments }: Times): string {
  const days = environments.flatMap((environment) => environment.days);
  const sum = (part: 'compliant' | 'non_compliant' | 'unknown' | 'no_data') =>
    days.reduce((total, day) => total + day[part], 0);
  const judged = sum('compliant') + sum('non_compliant');
  const all = judged + sum('unknown') + sum('no_data');
  if (judged === 0) return 'Nothing was evaluated in this period: there were no reports, or no policy was attached.';
  const unjudged = all - judged;
  const note =
    unjudged > 0 ? ` ${percent(unjudged, all)} of the time since their first reports was not evaluated.` : '';
  return `The environments on this page were compliant for ${percent(sum('compliant'), judged)} of their evaluated time.${note}`;
}
