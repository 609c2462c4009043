import { useQuery } from '@tanstack/react-query';
import { ApiError, type ReplyOf } from '@waymark/client';
import { listActivity } from '@waymark/contract';
import { client } from '../../../lib/client.ts';
import { useOrg } from '../../../lib/route.ts';
import { returnAfterSignIn } from '../../../lib/sign-in-again.ts';
import { type ActivitySearch, queryOf } from './activity-search.ts';

type Page = ReplyOf<typeof listActivity>;

/** How many empty pages are skipped at once before the reader is asked whether to continue. */
const TURNS = 6;

async function ask(org: string, search: ActivitySearch, signal: AbortSignal): Promise<Page> {
  const query = queryOf(search);
  let page: Page = await client.call(listActivity, { params: { org }, query, signal });
  // With a filter that few match, a page may be empty while older ones are not.
  for (let turn = 1; turn < TURNS && page.data.length === 0 && page.pagination.next !== null; turn++)
    page = await client.call(listActivity, {
      params: { org },
      query: { ...query, after: page.pagination.next },
      signal,
    });
  return page;
}

export function useActivity(search: ActivitySearch) {
  const org = useOrg();
  return useQuery({
    queryKey: [listActivity.id, 'turned', org, search],
    queryFn: async ({ signal }) => {
      try {
        return await ask(org, search, signal);
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) returnAfterSignIn();
        throw error;
      }
    },
  });
}
