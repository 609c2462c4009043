import type { RawRequest } from './request-of.ts';

/** Returns the next page, by its `Link` or `_links`. Only the query is used: the key stays with the configured host. */
export function nextPage(request: RawRequest, headers: Headers, body: unknown): RawRequest | undefined {
  const href = linkIn(headers.get('link') ?? '') ?? hrefIn(body);
  const query = href === undefined ? undefined : /\?([^#]*)/.exec(href)?.[1];
  if (query === undefined) return byNumber(request, body);
  return withQuery(request, query);
}

function withQuery(request: RawRequest, query: string): RawRequest {
  const url = new URL(request.url);
  url.search = query;
  return { ...request, url };
}

function linkIn(header: string): string | undefined {
  for (const [, href, parameters = ''] of header.matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*"?next\b/i.test(parameters)) return href;
  }
  return undefined;
}

function hrefIn(body: unknown): string | undefined {
  const { _links: links } = (body ?? {}) as { _links?: { next?: { href?: unknown } | null } };
  const href = links?.next?.href;
  return typeof href === 'string' ? href : undefined;
}

/** `pagination` gives the next page by a cursor or by a number. */
function byNumber(request: RawRequest, body: unknown): RawRequest | undefined {
  const { pagination } = (body ?? {}) as { pagination?: { next?: unknown; page?: unknown; page_count?: unknown } };
  if (!pagination) return undefined;
  const search = new URLSearchParams(request.url.search);
  if (typeof pagination.next === 'string') search.set('after', pagination.next);
  else if (Number(pagination.page) < Number(pagination.page_count))
    search.set('page', String(Number(pagination.page) + 1));
  else return undefined;
  return withQuery(request, search.toString());
}

/** Returns all elements of all pages, where pages are lists or have one list each; else the pages. */
export function gathered(pages: readonly unknown[]): unknown {
  if (pages.length === 1) return pages[0];
  return pages.flatMap((page) => {
    if (Array.isArray(page)) return page as unknown[];
    const lists = Object.values((page ?? {}) as object).filter(Array.isArray);
    return lists.length === 1 ? (lists[0] as unknown[]) : [page];
  });
}
