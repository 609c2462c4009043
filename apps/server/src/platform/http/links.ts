import { pageCount } from '../db/paginate.ts';
import { API_PREFIX, type App } from './app.ts';

/** The URL of an API resource, by its path below the base URL. */
export function apiUrl(publicUrl: App['publicUrl'], path: string): string {
  return `${publicUrl}${API_PREFIX}${path}`;
}

/** A `Link` header to the next page, with the query as it was sent. */
export function nextLink(publicUrl: string, path: string, query: object): string {
  return `<${apiUrl(publicUrl, path)}?${searchOf(query)}>; rel="next"`;
}

/** Links to the neighboring pages, with the query as it was sent. */
export function pageLinks(
  publicUrl: string,
  path: string,
  query: object,
  page: number,
  perPage: number,
  total: number,
): Record<string, { href: string }> {
  const last = Math.max(1, pageCount(total, perPage));
  const link = (to: number) => ({
    href: `${apiUrl(publicUrl, path)}?${searchOf({ ...query, page: to, per_page: perPage })}`,
  });
  return {
    self: link(page),
    first: link(1),
    last: link(last),
    ...(page > 1 && { prev: link(Math.min(page - 1, last)) }),
    ...(page < last && { next: link(page + 1) }),
  };
}

function searchOf(query: object): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value].flat()) if (item !== undefined) search.append(name, String(item));
  }
  return search;
}
