import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { listPolicies, type Policy } from '@waymark/contract';
import { client } from '../../lib/client.ts';

export interface PolicyList {
  readonly policies: readonly Policy[];
  /** Where a very long list continues. */
  readonly next: string | undefined;
}

export function cursorIn(link: string | null): string | undefined {
  const address = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1];
  return address === undefined ? undefined : (new URL(address, 'http://here').searchParams.get('after') ?? undefined);
}

/** The cursor is in a header: the body alone does not show whether the list is complete. */
export function usePolicies(
  org: string,
  query: { readonly archived: boolean; readonly name?: string | undefined; readonly after: string | undefined },
): UseQueryResult<PolicyList> {
  const archived: 'true' | 'false' = query.archived ? 'true' : 'false';
  return useQuery({
    queryKey: [listPolicies.id, 'with the cursor', org, archived, query.name, query.after],
    queryFn: async ({ signal }) => {
      const input = { params: { org }, query: { archived, name: query.name || undefined, after: query.after }, signal };
      const { body, headers } = await client.exchange(listPolicies, input);
      return { policies: body, next: cursorIn(headers.get('link')) };
    },
  });
}
