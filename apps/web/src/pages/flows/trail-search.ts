import type { listFlowTrails } from '@waymark/contract';
import { z } from 'zod';
import { dayEnd, dayStart } from '../../lib/day.ts';

export const TrailSearch = z.object({
  digits: z.string().default(''),
  branch: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  page: z.coerce.number().int().min(1).default(1),
});
export type TrailSearch = z.output<typeof TrailSearch>;
export type ChangeTrails = (changes: Partial<z.input<typeof TrailSearch>>, how?: { readonly replace: boolean }) => void;

export const NO_FILTERS = {
  digits: undefined,
  branch: undefined,
  from: undefined,
  to: undefined,
  page: undefined,
};

export function hasFilters(search: TrailSearch): boolean {
  const { branch, from, to } = search;
  return digitsOf(search) !== '' || Boolean(branch ?? from ?? to);
}

export function digitsOf({ digits }: Pick<TrailSearch, 'digits'>): string {
  return digits.trim().toLowerCase();
}

/** Whether the server can search for them: a commit by its first six digits, a fingerprint only by all. */
export function areDigits(digits: string): boolean {
  return digits === '' || /^([0-9a-f]{6,40}|[0-9a-f]{64})$/.test(digits);
}

/** As the list and its export take it. */
export function trailFilter(search: TrailSearch) {
  const digits = digitsOf(search);
  return {
    commit: digits !== '' && digits.length <= 40 ? digits : undefined,
    fingerprint: digits.length > 40 ? digits : undefined,
    branch: search.branch || undefined,
    from: dayStart(search.from),
    to: dayEnd(search.to),
  };
}

/** With `page`, the response is always an envelope. */
export function trailPageOf(answer: z.output<(typeof listFlowTrails)['reply']>) {
  return Array.isArray(answer) ? { data: answer, pagination: { total: answer.length, page_count: 1 } } : answer;
}
