import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ApiError, type CallInput, type ReplyOf } from '@waymark/client';
import type { Contract } from '@waymark/contract';
import { client } from '../../lib/client.ts';
import { returnAfterSignIn } from '../../lib/sign-in-again.ts';
import { nextCursor } from './next-cursor.ts';

export interface LinkedPage<Rows> {
  readonly rows: Rows;
  /** Cursor for `after`; null on the last page. */
  readonly next: string | null;
}

/** A page of a list that is a plain array, with the next cursor in a header. */
export function useLinkedPage<C extends Contract>(
  contract: C,
  input: CallInput<C>,
): UseQueryResult<LinkedPage<ReplyOf<C>>> {
  const answer = useQuery<unknown>({
    queryKey: [contract.id, 'page', input],
    queryFn: async ({ signal }) => {
      try {
        const { body, headers } = await client.exchange(contract, { ...input, signal });
        return { rows: body, next: nextCursor(headers.get('link')) };
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) returnAfterSignIn();
        throw error;
      }
    },
  });
  return answer as UseQueryResult<LinkedPage<ReplyOf<C>>>;
}
