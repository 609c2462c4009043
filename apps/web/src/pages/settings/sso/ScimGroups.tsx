import { listScimGroups, type MappedGroup, mapScimGroup, type Role } from '@waymark/contract';
import { useState } from 'react';
import { z } from 'zod';
import { holds, listPage } from '../../../lib/list-page.ts';
import { useRead, useWrite } from '../../../lib/queries.ts';
import { useSearchState } from '../../../lib/route.ts';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { SearchBox } from '../../../ui/Fields.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { RoleOrNone } from './RoleOrNone.tsx';

const Search = z.object({
  group: z.string().optional(),
  page: z.coerce.number().int().min(1).default(1),
});

type Mapping = { readonly group: MappedGroup; readonly role: Role | null };

/** The groups that the identity provider sent, and the role that each gives. */
export function ScimGroups({ org }: { readonly org: string }) {
  const [search, change] = useSearchState(Search);
  const [mapping, setMapping] = useState<Mapping>();
  const groups = useRead(listScimGroups, { params: { org } });
  return (
    <Panel
      flush
      title="Group roles"
      actions={
        <SearchBox
          label="Filter by group name"
          value={search.group ?? ''}
          onChange={(group) => change({ group, page: undefined }, { replace: true })}
        />
      }
    >
      <Loaded of={groups} lines={3}>
        {(all) => {
          const fitting = all.filter(({ display_name }) => holds(search.group, display_name));
          const { rows, page, pages, total } = listPage(fitting, search.page);
          return (
            <>
              <DataTable
                caption="Groups and their roles"
                columns={columnsOf(setMapping)}
                rows={rows}
                rowKey={({ id }) => id}
                empty={
                  all.length === 0 ? (
                    <Empty title="No groups yet">Groups appear here once the identity provider sends them.</Empty>
                  ) : (
                    <Empty title="No groups match these filters">Change the filter to see more.</Empty>
                  )
                }
              />
              {total > 0 && (
                <Pager
                  page={page}
                  pages={pages}
                  total={total}
                  what={total === 1 ? 'group' : 'groups'}
                  onPage={(to) => change({ page: to })}
                />
              )}
            </>
          );
        }}
      </Loaded>
      {mapping && <MapGroup org={org} mapping={mapping} onClose={() => setMapping(undefined)} />}
    </Panel>
  );
}

function columnsOf(onMap: (mapping: Mapping) => void): readonly Column<MappedGroup>[] {
  return [
    {
      key: 'name',
      title: 'Group',
      wide: true,
      cell: ({ display_name }) => <span className="font-medium">{display_name}</span>,
    },
    { key: 'members', title: 'People', align: 'right', cell: ({ members }) => members.toLocaleString('en') },
    {
      key: 'role',
      title: 'Role',
      cell: (group) => (
        <div className="w-40">
          <RoleOrNone
            label={`Role of ${group.display_name}`}
            hideLabel
            none="no role"
            value={group.role}
            onChange={(role) => role !== group.role && onMap({ group, role })}
          />
        </div>
      ),
    },
  ];
}

function MapGroup({
  org,
  mapping: { group, role },
  onClose,
}: {
  readonly org: string;
  readonly mapping: Mapping;
  readonly onClose: () => void;
}) {
  const write = useWrite(mapScimGroup, {
    done: `${group.display_name} now grants ${role === null ? 'no role' : `the role ${role}`}`,
    onDone: onClose,
  });
  const people = group.members === 1 ? '1 person' : `${group.members.toLocaleString('en')} people`;
  return (
    <ConfirmDialog
      title={`Role of ${group.display_name}`}
      confirm="Change role"
      write={write}
      onConfirm={() => write.mutate({ params: { org, id: group.id }, body: { role } })}
      onClose={onClose}
    >
      <p>
        {role === null
          ? `This concerns ${people}. They lose the role of the group at once, unless another group or the default role gives them one. Without a role, they are not members.`
          : `This concerns ${people}. They have the role ${role} at once, unless another of their groups gives a higher one.`}
      </p>
    </ConfirmDialog>
  );
}
