import { type EnvironmentType, environmentTypes } from '@waymark/contract';
import { z } from 'zod';
import { TYPE_WORDS } from './type-words.ts';

/** A verdict, or `stale`: an environment whose report is overdue, whatever its verdict. */
const states = ['non-compliant', 'unknown', 'compliant', 'stale'] as const;
export type StateFilter = (typeof states)[number];

export const EnvironmentSearch = z.object({
  q: z.string().optional(),
  state: z.enum(states).optional(),
  type: z.enum(environmentTypes).optional(),
  tag: z.string().optional(),
  sort: z.enum(['name', 'last_changed_at', 'last_modified_at']).default('name'),
  direction: z.enum(['asc', 'desc']).default('asc'),
  page: z.coerce.number().int().min(1).default(1),
});
export type EnvironmentSearch = z.output<typeof EnvironmentSearch>;

/** One choice for types with the same name: `azure-apps` is an old name of `cloudx-apps`. */
export const TYPE_CHOICES = environmentTypes
  .filter((type) => type !== 'azure-apps')
  .map((id) => ({ id, label: TYPE_WORDS[id] }));

function typesLike(type: EnvironmentType): EnvironmentType[] {
  return environmentTypes.filter((other) => TYPE_WORDS[other] === TYPE_WORDS[type]);
}

/** The filters and the sort, as the list and its export take them. */
export function environmentFilter({ q, state, type, tag, sort, direction }: Omit<EnvironmentSearch, 'page'>) {
  return {
    name: q,
    type: type && typesLike(type),
    tag,
    compliance: state === 'stale' ? undefined : state,
    stale: state === 'stale' ? ('true' as const) : undefined,
    sort,
    sort_direction: direction,
  };
}

/** The query of the list. */
export function environmentQuery(search: EnvironmentSearch, perPage: number) {
  return { page: search.page, per_page: perPage, ...environmentFilter(search) };
}

export const NO_FILTERS = { q: undefined, state: undefined, type: undefined, tag: undefined, page: undefined };

export function isFiltered({ q, state, type, tag }: EnvironmentSearch): boolean {
  return Boolean(q || state || type || tag);
}
