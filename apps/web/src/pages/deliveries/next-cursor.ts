/** Where the next page begins, from a `Link` header. The rest of its address is ignored. */
export function nextCursor(link: string | null): string | null {
  for (const [, href = '', parameters = ''] of (link ?? '').matchAll(/<([^>]*)>([^<]*)/g))
    if (/;\s*rel\s*=\s*"?next"?/i.test(parameters))
      return new URLSearchParams(/\?([^#]*)/.exec(href)?.[1] ?? '').get('after');
  return null;
}
