import { useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { z } from 'zod';

/** A parameter of the route. Reading one that the route does not have is a bug. */
export function useParam(name: string): string {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  const value = params[name];
  if (value === undefined) throw new Error(`The address of this page has no ${name}: open the page from a list`);
  return value;
}

export function useOrg(): string {
  return useParam('org');
}

export function usePath(): string {
  return useRouterState({ select: ({ location }) => location.pathname });
}

type Sent = Readonly<Record<string, string | string[]>>;

/** The query of an address as plain text: no type is guessed, the page interprets it. */
export function parseSearch(search: string): Sent {
  const params = new URLSearchParams(search);
  return Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const values = params.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? '')];
    }),
  );
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    for (const item of [value].flat())
      if (item !== undefined && item !== null && item !== '') params.append(name, String(item));
  return params.size > 0 ? `?${params}` : '';
}

/**
 * The state of a page is in its address and nowhere else: a bookmark, a shared link and the back button show the same.
 * A value that the schema refuses counts as absent, so each field of it must be optional or have a default.
 */
export function useSearchState<S extends z.ZodObject>(schema: S) {
  const sent: Sent = useSearch({ strict: false });
  const navigate = useNavigate();
  const state = useMemo(() => readSearch(schema, sent), [schema, sent]);
  const change = useCallback(
    (changes: Partial<z.input<S>>, { replace = false } = {}) =>
      void navigate({
        to: '.',
        search: ((before: Sent) => ({ ...before, ...changes })) as never,
        replace,
        resetScroll: false,
      }),
    [navigate],
  );
  return [state, change] as const;
}

export function readSearch<S extends z.ZodObject>(schema: S, sent: Sent): z.output<S> {
  const all = schema.safeParse(sent);
  if (all.success) return all.data;
  const refused = new Set(all.error.issues.map(({ path }) => path[0]));
  return schema.parse(Object.fromEntries(Object.entries(sent).filter(([name]) => !refused.has(name))));
}
