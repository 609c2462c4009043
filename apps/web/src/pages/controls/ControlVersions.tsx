import { type Control, type ControlVersion, listControlVersions } from '@waymark/contract';
import { z } from 'zod';
import { useRead } from '../../lib/queries.ts';
import { useSearchState } from '../../lib/route.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { OutsideLink } from '../../ui/Link.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';

const Search = z.object({
  page: z.coerce.number().int().min(1).default(1),
  direction: z.enum(['asc', 'desc']).default('desc'),
});
const PER_PAGE = 20;

export function ControlVersions({ org, control }: { readonly org: string; readonly control: Control }) {
  const [search, change] = useSearchState(Search);
  const versions = useRead(listControlVersions, {
    params: { org, identifier: control.identifier },
    query: { page: search.page, per_page: PER_PAGE, sort_direction: search.direction },
  });
  return (
    <Panel title="Version history" flush>
      <Loaded of={versions}>
        {({ versions: rows, total_count, total_pages }) => (
          <>
            <DataTable
              caption={`Versions of ${control.identifier}`}
              columns={columns}
              rows={rows}
              rowKey={({ version }) => String(version)}
              sort={{ by: 'version', direction: search.direction }}
              onSort={({ direction }) => change({ direction, page: undefined })}
            />
            <Pager
              page={search.page}
              pages={total_pages}
              total={total_count}
              what={total_count === 1 ? 'version' : 'versions'}
              onPage={(page) => change({ page })}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const columns: readonly Column<ControlVersion>[] = [
  { key: 'version', title: 'Version', sort: 'version', cell: ({ version }) => version },
  { key: 'kind', title: 'Change', cell: ({ kind }) => <Tag>{kind.toLowerCase()}</Tag> },
  {
    key: 'text',
    title: 'Definition',
    wide: true,
    cell: ({ name, description, links }) => (
      <>
        <span className="font-medium">{name}</span>
        {description !== '' && <p className="whitespace-pre-line text-quiet">{description}</p>}
        {Object.keys(links).length > 0 && (
          <p className="flex flex-wrap gap-x-3">
            {Object.entries(links).map(([label, address]) => (
              <OutsideLink key={label} href={address}>
                {label}
              </OutsideLink>
            ))}
          </p>
        )}
      </>
    ),
  },
  { key: 'by', title: 'By', cell: ({ created_by }) => created_by },
  { key: 'at', title: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
];
