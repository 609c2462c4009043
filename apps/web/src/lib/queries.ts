import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { ApiError, ApprovalRequiredError, type CallInput, type ReplyOf } from '@waymark/client';
import type { Contract } from '@waymark/contract';
import { client } from './client.ts';
import { beginWrite } from './own-writes.ts';
import { returnAfterSignIn } from './sign-in-again.ts';
import { showToast } from './toasts.ts';

export function leaveIfSignedOut(error: Error): void {
  if (error instanceof ApiError && error.status === 401) returnAfterSignIn();
}

/** The client retries by itself: a failed query has failed for good. */
export const queryClient = new QueryClient({
  // Also for pages with queries of their own. A prefetch never redirects to the sign-in.
  queryCache: new QueryCache({ onError: (error, { meta }) => meta?.['isAhead'] || leaveIfSignedOut(error) }),
  mutationCache: new MutationCache({ onError: leaveIfSignedOut }),
  defaultOptions: {
    queries: { retry: false, staleTime: 15_000, refetchOnWindowFocus: false, placeholderData: keepPreviousData },
    mutations: { retry: false },
  },
});

interface ReadOptions<Reply> {
  readonly enabled?: boolean;
  /** For what never changes once it is there. */
  readonly staleTime?: number;
  /** Show no previous data while the next query is pending. */
  readonly fresh?: boolean;
  /** An old response, shown while it is requested again. */
  readonly initial?: () => Reply | undefined;
}

export function readKey<C extends Contract>(contract: C, input: CallInput<C>): readonly unknown[] {
  return [contract.id, input];
}

/** The response of an operation, cached and shared between all callers with the same query. */
export function useRead<C extends Contract>(
  contract: C,
  input: CallInput<C>,
  { enabled = true, staleTime, fresh = false, initial }: ReadOptions<ReplyOf<C>> = {},
): UseQueryResult<ReplyOf<C>> {
  const answer = useQuery<unknown>({
    queryKey: readKey(contract, input),
    queryFn: ({ signal }) => client.call(contract, { ...input, signal }),
    enabled,
    ...(staleTime !== undefined && { staleTime }),
    ...(fresh && { placeholderData: undefined }),
    ...(initial && { initialData: initial, initialDataUpdatedAt: 0 }),
  });
  return answer as UseQueryResult<ReplyOf<C>>;
}

/** Prefetches when a pointer rests on a link, so that the page is ready when it is followed. */
export function prefetch<C extends Contract>(contract: C, input: CallInput<C>): void {
  void queryClient.prefetchQuery({
    queryKey: readKey(contract, input),
    queryFn: ({ signal }) => client.call(contract, { ...input, signal }),
    meta: { isAhead: true },
  });
}

interface WriteOptions<C extends Contract> {
  /** The message when it is done. */
  readonly done?: string | ((reply: ReplyOf<C>) => string);
  readonly onDone?: (reply: ReplyOf<C>) => void;
}

/** Sends a write, whose events are no news to this tab. */
export async function sendWrite<C extends Contract>(contract: C, input: CallInput<C>): Promise<ReplyOf<C>> {
  const end = beginWrite();
  try {
    const reply = await client.call(contract, input);
    end(true);
    return reply;
  } catch (error) {
    end(false);
    throw error;
  }
}

/** Nothing is shown as done before the server has confirmed it; then everything on the screen is refetched. */
export function useWrite<C extends Contract>(contract: C, { done, onDone }: WriteOptions<C> = {}) {
  const queries = useQueryClient();
  return useMutation<ReplyOf<C>, Error, CallInput<C>>({
    mutationFn: (input) => sendWrite(contract, input),
    onSuccess: async (reply) => {
      if (done !== undefined) showToast('good', typeof done === 'function' ? done(reply) : done);
      await queries.invalidateQueries();
      onDone?.(reply);
    },
    onError: async (error) => {
      // It is now among the pending changes.
      if (error instanceof ApprovalRequiredError) await queries.invalidateQueries();
    },
  });
}

/** What went wrong, and the errors by field. */
export function problemOf(error: Error | null): {
  readonly message: string;
  readonly fields: Record<string, string>;
  readonly requestId: string | null;
  /** Nothing went wrong: somebody else has to approve it. */
  readonly isHeld: boolean;
} | null {
  if (!error) return null;
  const fields = error instanceof ApiError ? { ...error.fields } : {};
  return {
    message: error.message,
    fields,
    requestId: error instanceof ApiError ? error.requestId : null,
    isHeld: error instanceof ApprovalRequiredError,
  };
}
