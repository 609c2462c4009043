import { SearchBox } from './Fields.tsx';

/** Filters by a tag, `key` or `key:value`, as the server matches it. `owner:team` finds what a team owns. */
export function TagFilter({
  value,
  onChange,
}: {
  readonly value: string | undefined;
  readonly onChange: (tag: string | undefined) => void;
}) {
  return (
    <SearchBox
      label="Filter by tag, as owner:team"
      value={value ?? ''}
      onChange={(typed) => onChange(typed.trim() || undefined)}
    />
  );
}
