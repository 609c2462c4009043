import { useQueries } from '@tanstack/react-query';
import type { CallInput, ReplyOf } from '@waymark/client';
import type { Contract } from '@waymark/contract';
import { client } from './client.ts';
import { readKey } from './queries.ts';

export interface Reads<T> {
  /** In the order of the queries; undefined while, or if, there is no response. */
  readonly answers: readonly (T | undefined)[];
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** The same operation for several things at once; each response is shared with single reads of it. */
export function useReads<C extends Contract>(contract: C, inputs: readonly CallInput<C>[]): Reads<ReplyOf<C>> {
  return useQueries({
    queries: inputs.map((input) => ({
      queryKey: readKey(contract, input),
      queryFn: ({ signal }: { signal: AbortSignal }) => client.call(contract, { ...input, signal }) as Promise<unknown>,
      placeholderData: undefined,
    })),
    combine: (results) => ({
      answers: results.map(({ data }) => data as ReplyOf<C> | undefined),
      isPending: results.some(({ isPending }) => isPending),
      error: results.find(({ error }) => error !== null)?.error ?? null,
      refetch: () => Promise.all(results.map(({ refetch }) => refetch())),
    }),
  });
}
