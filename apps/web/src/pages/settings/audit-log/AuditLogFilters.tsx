import { roles } from '@waymark/contract';
import { DayInput } from '../../../ui/DayInput.tsx';
import { SearchBox, Select } from '../../../ui/Fields.tsx';
import { type AuditLogSearch, type ChangeSearch, EVENT_WORDS, SOURCE_WORDS } from './audit-log-search.ts';

const choicesOf = (all: string, words: Readonly<Record<string, string>>) => [
  { id: '', label: all },
  ...Object.entries(words).map(([id, label]) => ({ id, label })),
];

const EVENTS = choicesOf('All changes', EVENT_WORDS);
const SOURCES = choicesOf('All sources', SOURCE_WORDS);
const ROLES = choicesOf('All roles', Object.fromEntries(roles.map((role) => [role, role])));

export function AuditLogFilters({
  search,
  change,
}: {
  readonly search: AuditLogSearch;
  readonly change: ChangeSearch;
}) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2 no-print">
      <SearchBox
        label="Filter by name or login"
        value={search.q ?? ''}
        onChange={(q) => change({ q, page: undefined }, { replace: true })}
      />
      <Select
        label="Change"
        hideLabel
        className="w-44"
        value={search.event ?? ''}
        onChange={(event) => change({ event: (event || undefined) as AuditLogSearch['event'], page: undefined })}
        choices={EVENTS}
      />
      <Select
        label="New role"
        hideLabel
        className="w-36"
        value={search.role ?? ''}
        onChange={(role) => change({ role: (role || undefined) as AuditLogSearch['role'], page: undefined })}
        choices={ROLES}
      />
      <Select
        label="Source"
        hideLabel
        className="w-44"
        value={search.source ?? ''}
        onChange={(source) => change({ source: (source || undefined) as AuditLogSearch['source'], page: undefined })}
        choices={SOURCES}
      />
      <DayInput label="From" value={search.from} onChange={(from) => change({ from, page: undefined })} />
      <DayInput label="To" value={search.to} onChange={(to) => change({ to, page: undefined })} />
    </div>
  );
}
