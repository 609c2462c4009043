import { changeRequestStates, type ListedChangeRequest, listChangeRequests } from '@waymark/contract';
import { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Select } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { ChangeState } from './ChangeState.tsx';
import { STATE_LABELS } from './change-words.ts';

const Search = z.object({ state: z.enum(changeRequestStates).default('pending') });

export function ChangesPage() {
  const org = useOrg();
  const [{ state }, change] = useSearchState(Search);
  const requests = useRead(listChangeRequests, { params: { org }, query: { state } });
  return (
    <>
      <PageHead
        title="Change requests"
        note="Changes to policies, attachments, waivers, and trust that one person requests and another approves."
      />
      <NewNotice kinds={['change_request']} loadedAt={requests.dataUpdatedAt} onShow={() => void requests.refetch()} />
      <Panel
        flush
        title="Change requests, newest first"
        actions={
          <Select
            label="State"
            hideLabel
            className="w-44"
            value={state}
            onChange={(id) => change({ state: changeRequestStates.find((one) => one === id) ?? 'pending' })}
            choices={changeRequestStates.map((id) => ({ id, label: STATE_LABELS[id] }))}
          />
        }
      >
        <Loaded of={requests}>
          {(rows) => (
            <DataTable
              caption="Change requests"
              columns={columnsOf(org)}
              rows={rows}
              rowKey={({ id }) => id}
              empty={<NoRequests org={org} isPending={state === 'pending'} />}
            />
          )}
        </Loaded>
      </Panel>
    </>
  );
}

function columnsOf(org: string): readonly Column<ListedChangeRequest>[] {
  return [
    {
      key: 'change',
      title: 'Change',
      wide: true,
      cell: ({ id, summary, subject }) => (
        <>
          <Link href={paths.change(org, id)} className="font-medium">
            {subject.name}
          </Link>
          <div className="text-[13px] text-quiet">{summary}</div>
        </>
      ),
    },
    { key: 'state', title: 'State', cell: ({ state }) => <ChangeState state={state} /> },
    { key: 'by', title: 'Requested by', cell: ({ asked_by }) => asked_by },
    { key: 'asked', title: 'Requested', cell: ({ asked_at }) => <Time at={asked_at} /> },
    {
      key: 'ends',
      title: 'Expires',
      cell: ({ ended_at, expires_at }) => <Time at={ended_at ?? expires_at} />,
    },
  ];
}

function NoRequests({ org, isPending }: { readonly org: string; readonly isPending: boolean }) {
  if (!isPending) return <Empty title="No change requests match these filters" />;
  return (
    <Empty title="No pending change requests">
      If change control requires two people, changes wait here for approval. An admin turns it on in the{' '}
      <Link href={paths.settings(org, 'organization')} className="underline">
        organization settings
      </Link>
      .
    </Empty>
  );
}
