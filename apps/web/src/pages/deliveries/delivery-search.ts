import type { listDeliveries } from '@waymark/contract';
import { z } from 'zod';
import { dayEnd, dayStart } from '../../lib/day.ts';
import { useSearchState } from '../../lib/route.ts';
import { DELIVERY_STATES } from './outcomes.ts';

const Search = z.object({
  state: z.enum(DELIVERY_STATES).optional(),
  target: z.uuid().optional(),
  test: z.literal('false').optional(),
  notification: z.coerce.number().int().min(1).optional(),
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  after: z.string().optional(),
});

export type DeliverySearch = z.output<typeof Search>;

export function useDeliverySearch() {
  return useSearchState(Search);
}

export type ChangeSearch = ReturnType<typeof useDeliverySearch>[1];

const PER_PAGE = 50;

export function queryOf(search: DeliverySearch): z.input<(typeof listDeliveries)['query']> {
  return {
    per_page: PER_PAGE,
    state: search.state,
    target_id: search.target,
    notification: search.notification,
    test: search.test,
    from_timestamp: dayStart(search.from),
    to_timestamp: dayEnd(search.to),
    after: search.after,
  };
}

export function isFiltered({ state, target, notification, test, from, to }: DeliverySearch): boolean {
  return [state, target, notification, test, from, to].some((value) => value !== undefined);
}
