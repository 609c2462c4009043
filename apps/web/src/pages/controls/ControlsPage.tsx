import { useNavigate } from '@tanstack/react-router';
import { type Control, createControl, listControls, listControlTags } from '@waymark/contract';
import { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useRead, useWrite } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Checkbox, SearchBox, Select } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { BetaFailure } from './BetaFailure.tsx';
import { ControlForm } from './ControlForm.tsx';

const Search = z.object({
  q: z.string().optional(),
  tag: z.string().optional(),
  archived: z.literal('yes').optional(),
  sort: z.enum(['identifier', 'name']).default('identifier'),
  direction: z.enum(['asc', 'desc']).default('asc'),
  page: z.coerce.number().int().min(1).default(1),
});

const PER_PAGE = 50;

export function ControlsPage() {
  const org = useOrg();
  const [search, change] = useSearchState(Search);
  const controls = useRead(listControls, {
    params: { org },
    query: {
      page: search.page,
      per_page: PER_PAGE,
      search: search.q,
      tag: search.tag,
      archived: search.archived && 'true',
      sort: search.sort,
      sort_direction: search.direction,
    },
  });
  return (
    <>
      <PageHead
        title="Controls"
        state={<Tag>beta</Tag>}
        note="Requirements of your compliance framework, and the policies that enforce them."
        actions={<NewControl org={org} />}
      />
      <NewNotice kinds={['control']} loadedAt={controls.dataUpdatedAt} onShow={() => void controls.refetch()} />
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 no-print">
        <SearchBox
          label="Filter by name or identifier"
          value={search.q ?? ''}
          onChange={(q) => change({ q, page: undefined }, { replace: true })}
        />
        <TagFilter org={org} value={search.tag} onChange={(tag) => change({ tag, page: undefined })} />
        <Checkbox
          isSelected={search.archived === 'yes'}
          onChange={(on) => change({ archived: on ? 'yes' : undefined, page: undefined })}
        >
          Archived only
        </Checkbox>
      </div>
      <BetaFailure error={controls.error} />
      <Panel flush>
        <Loaded of={controls}>
          {({ controls: rows, total_count, total_pages }) => (
            <>
              <DataTable
                caption={search.archived ? 'Archived controls' : 'Controls'}
                columns={columnsOf(org, (tag) => change({ tag, page: undefined }))}
                rows={rows}
                rowKey={({ identifier }) => identifier}
                sort={{ by: search.sort, direction: search.direction }}
                onSort={({ by, direction }) => change({ sort: by as typeof search.sort, direction, page: undefined })}
                empty={<NoControls org={org} filtered={Boolean(search.q || search.tag || search.archived)} />}
              />
              <Pager
                page={search.page}
                pages={total_pages}
                total={total_count}
                what={total_count === 1 ? 'control' : 'controls'}
                onPage={(to) => change({ page: to })}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  );
}

function NewControl({ org }: { readonly org: string }) {
  const navigate = useNavigate();
  const create = useWrite(createControl, {
    done: ({ identifier }) => `Control ${identifier} created`,
    onDone: ({ identifier }) => void navigate({ href: paths.control(org, identifier) }),
  });
  return (
    <DialogButton
      label="Create control"
      variant="primary"
      title="Create control"
      inAddress="create-control"
      whyNot={useWhyNot('manage_controls')}
    >
      {(close) => (
        <ControlForm
          submit="Create control"
          error={create.error}
          isPending={create.isPending}
          onCancel={close}
          onSubmit={(written) => create.mutate({ params: { org }, body: written })}
        />
      )}
    </DialogButton>
  );
}

const TAGS_LISTED = 200;

function TagFilter({
  org,
  value,
  onChange,
}: {
  readonly org: string;
  readonly value: string | undefined;
  readonly onChange: (tag: string | undefined) => void;
}) {
  const { data } = useRead(listControlTags, { params: { org } });
  const known = (data?.tags ?? []).flatMap(({ key, values }) => [key, ...values.map((each) => `${key}:${each}`)]);
  const listed = known.slice(0, TAGS_LISTED);
  const all = value === undefined || listed.includes(value) ? listed : [value, ...listed];
  if (all.length === 0) return null;
  return (
    <Select
      label="Tag"
      hideLabel
      className="w-52"
      value={value ?? ''}
      onChange={(tag) => onChange(tag || undefined)}
      choices={[{ id: '', label: 'All tags' }, ...all.map((tag) => ({ id: tag, label: tag }))]}
    />
  );
}

function columnsOf(org: string, onTag: (tag: string) => void): readonly Column<Control>[] {
  return [
    {
      key: 'identifier',
      title: 'Identifier',
      sort: 'identifier',
      cell: ({ identifier }) => (
        <Link href={paths.control(org, identifier)} className="font-mono text-[13px] whitespace-nowrap">
          {identifier}
        </Link>
      ),
    },
    {
      key: 'name',
      title: 'Name',
      sort: 'name',
      wide: true,
      cell: ({ name, description }) => (
        <>
          <span className="font-medium">{name}</span>
          {description !== '' && <div className="line-clamp-1 text-quiet">{description}</div>}
        </>
      ),
    },
    {
      key: 'tags',
      title: 'Tags',
      secondary: true,
      cell: ({ tags }) => (
        <span className="flex flex-wrap gap-1">
          {Object.entries(tags).map(([key, value]) => (
            <button key={key} type="button" className="cursor-pointer" onClick={() => onTag(`${key}:${value}`)}>
              <Tag>
                {key}: {value}
              </Tag>
            </button>
          ))}
        </span>
      ),
    },
    {
      key: 'policies',
      title: 'Required by',
      cell: ({ policies_referencing: names }) =>
        names.length === 0 ? (
          <span className="text-quiet">none</span>
        ) : (
          <span className="flex flex-wrap gap-x-2 whitespace-nowrap sm:min-w-36">
            {names.map((name) => (
              <Link key={name} href={paths.policy(org, name)}>
                {name}
              </Link>
            ))}
          </span>
        ),
    },
    { key: 'version', title: 'Version', align: 'right', secondary: true, cell: ({ version }) => version },
    { key: 'created', title: 'Created', secondary: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
}

function NoControls({ org, filtered }: { readonly org: string; readonly filtered: boolean }) {
  if (filtered) return <Empty title="No controls match these filters">Remove a filter to see more.</Empty>;
  return (
    <Empty
      title="No controls yet"
      command={`waymark control create SDLC-7 --name 'Every change is reviewed' --org ${org}`}
    >
      A control is a requirement of your framework. Policies use <code>for_control</code> to require evidence for it.
    </Empty>
  );
}
