import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { CallInput } from '@waymark/client';
import { type EnvironmentEvent, listEnvironmentEvents } from '@waymark/contract';
import { client } from '../../lib/client.ts';
import { readKey } from '../../lib/queries.ts';

interface EventPage {
  readonly events: readonly EnvironmentEvent[];
  readonly total: number;
  readonly pages: number;
}

/** The total is in the headers, not in the body. */
export function useEvents(input: CallInput<typeof listEnvironmentEvents>): UseQueryResult<EventPage> {
  return useQuery({
    queryKey: [...readKey(listEnvironmentEvents, input), 'with counts'],
    queryFn: async ({ signal }) => {
      const { body, headers } = await client.exchange(listEnvironmentEvents, { ...input, signal });
      return {
        events: body,
        total: Number(headers.get('x-total-count') ?? body.length),
        pages: Number(headers.get('x-total-pages') ?? 1),
      };
    },
  });
}
