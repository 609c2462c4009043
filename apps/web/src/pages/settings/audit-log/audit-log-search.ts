import { type getMembershipAuditLog, type MembershipEvent, Role } from '@waymark/contract';
import { z } from 'zod';
import { dayEnd, dayStart } from '../../../lib/day.ts';
import { PER_PAGE } from '../../../lib/list-page.ts';
import { useSearchState } from '../../../lib/route.ts';

export const EVENT_WORDS: Record<MembershipEvent['event_type'], string> = {
  added: 'Added',
  changed: 'Role changed',
  removed: 'Removed',
};

export const SOURCE_WORDS: Record<MembershipEvent['source'], string> = {
  app: 'Waymark',
  scim: 'identity provider',
  invitation: 'invitation',
  script: 'operator',
};

const Search = z.object({
  q: z.string().optional(),
  event: z.enum(['added', 'changed', 'removed']).optional(),
  role: Role.optional(),
  source: z.enum(['app', 'scim', 'invitation', 'script']).optional(),
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  sort: z.enum(['when', 'user', 'role', 'changed_by', 'source']).default('when'),
  direction: z.enum(['asc', 'desc']).default('desc'),
  page: z.coerce.number().int().min(1).default(1),
});

export type AuditLogSearch = z.output<typeof Search>;
export type SortBy = AuditLogSearch['sort'];

export function useAuditLogSearch() {
  return useSearchState(Search);
}

export type ChangeSearch = ReturnType<typeof useAuditLogSearch>[1];

type Query = z.input<(typeof getMembershipAuditLog)['query']>;

/** The filter of the address, as the server takes it. */
export function queryOf(search: AuditLogSearch): Query {
  return { per_page: PER_PAGE, ...filterOf(search) };
}

/** The same without the page, for the export. */
export function filterOf(search: AuditLogSearch): Omit<Query, 'page' | 'per_page'> {
  return {
    search: search.q,
    event_type: search.event,
    role: search.role,
    source: search.source,
    from_timestamp: dayStart(search.from),
    to_timestamp: dayEnd(search.to),
    sort_by: search.sort,
    sort_dir: search.direction,
  };
}
