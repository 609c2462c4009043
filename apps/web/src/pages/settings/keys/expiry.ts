import type { ApiKey } from '@waymark/contract';
import { counted } from '../../../lib/counted.ts';
import { DAY_SECONDS, dayEnd } from '../../../lib/day.ts';

const EXPIRY_CHOICES = [
  { id: '30', label: 'In 30 days' },
  { id: '90', label: 'In 90 days' },
  { id: '365', label: 'In a year' },
  { id: 'day', label: 'On a date' },
  { id: 'never', label: 'Never' },
] as const;

interface Choice {
  readonly id: string;
  readonly label: string;
}

/** Returns the choice that makes a new key valid for as long as an old one was; its id is the number of days. */
export function sameValidity({ created_at, expires_at }: Pick<ApiKey, 'created_at' | 'expires_at'>): Choice {
  if (expires_at === 0) return { id: 'never', label: 'Never, like the old key' };
  const seconds = expires_at - created_at;
  const days = Math.round(seconds / DAY_SECONDS);
  if (days >= 1) return { id: String(days), label: `In ${counted(days, 'day')}, valid as long as the old key` };
  const hours = Math.max(1, Math.round(seconds / 3_600));
  return { id: String(hours / 24), label: `In ${counted(hours, 'hour')}, valid as long as the old key` };
}

/** The choices for a key; if it replaces `like`, that key's validity comes first, and only once. */
export function expiryChoices(like: Choice | undefined): readonly Choice[] {
  return like ? [like, ...EXPIRY_CHOICES.filter(({ id }) => id !== like.id)] : EXPIRY_CHOICES;
}

/** When a key created now expires: 0 for never, undefined for an invalid day. */
export function expiryOf(choice: string, day: string | undefined, now: number): number | undefined {
  if (choice === 'never') return 0;
  if (choice === 'day') return dayEnd(day);
  return Math.floor(now + Number(choice) * DAY_SECONDS);
}
