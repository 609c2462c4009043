import type { Contract } from '@waymark/contract';
import type { Answer } from './answer.ts';
import { UnexpectedAnswerError } from './errors.ts';
import type { LooseInput } from './input.ts';

type Query = Readonly<Record<string, unknown>>;
type Json = Readonly<Record<string, unknown>>;

/** An element of a reply that is a list, or that has one in a field. */
export type ItemOf<R> = R extends readonly (infer I)[]
  ? I
  : { [K in Exclude<keyof R, 'schemas'>]: R[K] extends readonly (infer I)[] ? I : never }[Exclude<keyof R, 'schemas'>];

/** Yields page after page, each requested after the previous one was consumed. */
export async function* followPages(
  contract: Contract,
  input: LooseInput,
  ask: (input: LooseInput) => Promise<Answer>,
): AsyncGenerator<unknown, void, undefined> {
  let query: Query | undefined = input.query ?? {};
  const asked = new Set<string>();
  while (query) {
    asked.add(keyOf(query));
    const answer = await ask({ ...input, query });
    yield answer.body;
    query = nextQuery(contract, query, answer);
    // A changing list, or a proxy that drops the query, must not cause an endless loop.
    if (query && asked.has(keyOf(query))) {
      const { status, headers } = answer;
      throw new UnexpectedAnswerError(
        `The pages of ${contract.id} do not end: a page leads to one that was read before`,
        status,
        headers.get('x-request-id'),
      );
    }
  }
}

function keyOf(query: Query): string {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined);
  return JSON.stringify(sent.map(([name, value]) => [name, [value].flat().map(String)]).sort());
}

/** The query of the next page. The rest of a link is ignored: the server may use another address for itself. */
function nextQuery(contract: Contract, query: Query, { body, headers }: Answer): Query | undefined {
  const link = headers.get('link');
  const links = fieldOf(body, '_links');
  if (link !== null || links) {
    const href = linkTo('next', link ?? '') ?? fieldOf(fieldOf(links, 'next'), 'href');
    return typeof href === 'string' ? queryOf(href) : undefined;
  }
  if (Array.isArray(body)) return countsPages(contract) ? nextByCount(query, body) : undefined;
  const pagination = fieldOf(body, 'pagination');
  if (pagination) return nextByPagination(query, pagination as Json);
  return nextByStart(query, body);
}

function nextByPagination(query: Query, { next, page, page_count: count }: Json): Query | undefined {
  if (typeof next === 'string') return { ...query, after: next };
  return Number(page) < Number(count) ? { ...query, page: Number(page) + 1 } : undefined;
}

/** A plain list without links: only an empty or a short one is known to be the last. */
function nextByCount(query: Query, items: readonly unknown[]): Query | undefined {
  if (items.length === 0 || items.length < Number(query['per_page'] ?? 0)) return undefined;
  return { ...query, page: Number(query['page'] ?? 1) + 1 };
}

/** Operations that always answer with a plain list and take a page have no other way to it. */
function countsPages({ query, reply }: Contract): boolean {
  return reply.type === 'array' && query !== undefined && 'page' in query.shape && !('after' in query.shape);
}

/** SCIM counts entries, from 1. */
function nextByStart(query: Query, body: unknown): Query | undefined {
  const { startIndex, totalResults, Resources: found } = (body ?? {}) as Json;
  if (!Array.isArray(found) || found.length === 0) return undefined;
  const next = Number(startIndex) + found.length;
  return next <= Number(totalResults) ? { ...query, startIndex: next } : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Json)[name] : undefined;
}

/** RFC 8288, as far as servers use it: addresses in angle brackets, each with its parameters. */
function linkTo(relation: string, header: string): string | undefined {
  for (const [, href, parameters = ''] of header.matchAll(/<([^>]*)>([^<]*)/g)) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
    if ((rel?.[1] ?? rel?.[2] ?? '').split(/\s+/).includes(relation)) return href;
  }
  return undefined;
}

function queryOf(href: string): Query {
  const search = new URLSearchParams(/\?([^#]*)/.exec(href)?.[1] ?? '');
  return Object.fromEntries([...new Set(search.keys())].map((name) => [name, search.getAll(name)]));
}

/** The elements of a page: the page itself, or its one field that is a list. */
export function itemsOf(contract: Contract, page: unknown): readonly unknown[] {
  if (Array.isArray(page)) return page;
  const lists = Object.entries((page ?? {}) as Json).filter(
    ([name, value]) => name !== 'schemas' && Array.isArray(value),
  );
  const [list] = lists;
  if (!list || lists.length > 1) throw new TypeError(`${contract.id} does not answer with a list; use call or pages`);
  return list[1] as readonly unknown[];
}
