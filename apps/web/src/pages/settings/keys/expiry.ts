import { DAY_SECONDS, dayEnd } from '../../../lib/day.ts';

export const EXPIRY_CHOICES = [
  { id: '30', label: 'In 30 days' },
  { id: '90', label: 'In 90 days' },
  { id: '365', label: 'In a year' },
  { id: 'day', label: 'On a day' },
  { id: 'never', label: 'Never' },
] as const;

/** When a key expires that is made now: 0 for never, and nothing for a day that is none. */
export function expiryOf(choice: string, day: string | undefined, now: number): number | undefined {
  if (choice === 'never') return 0;
  if (choice === 'day') return dayEnd(day);
  return Math.floor(now) + Number(choice) * DAY_SECONDS;
}
