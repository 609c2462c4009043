import { exportWaivers, listWaivers, type Waiver, withdrawWaiver } from '@waymark/contract';
import { useState } from 'react';
import { listPage } from '../../../lib/list-page.ts';
import { useNow } from '../../../lib/now.ts';
import { paths } from '../../../lib/paths.ts';
import { useWrite } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { useWhyNot } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { ExportButtons } from '../../../ui/ExportButtons.tsx';
import { Select } from '../../../ui/Fields.tsx';
import { Link } from '../../../ui/Link.tsx';
import { NewNotice } from '../../../ui/NewNotice.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Notice, Panel } from '../../../ui/Panel.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { useLinkedPage } from '../../deliveries/use-linked-page.ts';
import { EnvironmentBox } from '../../environments/EnvironmentBox.tsx';
import { RenewWaiver } from '../../environments/RenewWaiver.tsx';
import { counts, waiverStateOf } from '../../environments/waiver-state.ts';
import type { ChangeExceptions, ExceptionSearch } from './exception-search.ts';
import { WaiverStateBadge } from './WaiverStateBadge.tsx';

interface WaiversProps {
  readonly search: ExceptionSearch;
  readonly change: ChangeExceptions;
}

const SHOWN = [
  { id: 'active', label: 'Active' },
  { id: 'all', label: 'All' },
];

export function Waivers({ search, change }: WaiversProps) {
  const org = useOrg();
  const filter = { environment_name: search.env, ...(search.show === 'all' && { ended: 'true' as const }) };
  const waivers = useLinkedPage(listWaivers, {
    params: { org },
    query: filter,
  });
  return (
    <>
      <NewNotice kinds={['environment']} loadedAt={waivers.dataUpdatedAt} onShow={() => void waivers.refetch()} />
      <Panel
        flush
        title="Waivers"
        note="Artifacts allowed to run despite failing policies."
        actions={
          <ExportButtons of={exportWaivers} input={{ params: { org }, query: filter }} name={`waivers-${org}`} />
        }
      >
        <div className="flex flex-wrap items-end gap-2 border-b border-line px-4 pb-3 no-print">
          <Select
            label="State"
            className="w-52"
            value={search.show}
            onChange={(show) => change({ show: show as ExceptionSearch['show'], page: undefined })}
            choices={SHOWN}
          />
          <EnvironmentBox
            label="Environment"
            placeholder="All environments"
            physical={false}
            value={search.env}
            onPick={(env) => change({ env, page: undefined })}
          />
          {search.env !== undefined && (
            <Button variant="quiet" onPress={() => change({ env: undefined, page: undefined })}>
              All environments
            </Button>
          )}
        </div>
        <Loaded of={waivers}>
          {({ rows, next }) => <Listed all={rows} more={next !== null} search={search} change={change} />}
        </Loaded>
      </Panel>
    </>
  );
}

/** The server returns up to ten thousand at once; they are paged here. */
function Listed({
  all,
  more,
  search,
  change,
}: WaiversProps & { readonly all: readonly Waiver[]; readonly more: boolean }) {
  const org = useOrg();
  const now = useNow();
  const [ending, setEnding] = useState<Waiver>();
  const whyNot = useWhyNot('manage_environments');
  const shown = search.show === 'all' ? all : all.filter((each) => counts(waiverStateOf(each, now)));
  const { rows, page, pages, total } = listPage(shown, search.page);
  return (
    <>
      <Soon all={all} now={now} />
      <DataTable
        caption="Waivers, newest first"
        columns={columnsOf(org, now, whyNot, setEnding)}
        rows={rows}
        rowKey={({ id }) => id}
        empty={<NoWaivers org={org} search={search} />}
      />
      {total > 0 && (
        <Pager
          page={page}
          pages={pages}
          total={total}
          what={`${total === 1 ? 'waiver' : 'waivers'}${more ? ', the newest; there are more' : ''}`}
          onPage={(to) => change({ page: to })}
        />
      )}
      {ending && <Withdraw of={ending} onClose={() => setEnding(undefined)} />}
    </>
  );
}

function Soon({ all, now }: { readonly all: readonly Waiver[]; readonly now: number }) {
  const soon = all.filter((each) => waiverStateOf(each, now) === 'expiring');
  if (soon.length === 0) return null;
  const active = all.filter((each) => counts(waiverStateOf(each, now))).length;
  return (
    <div className="p-4 pb-2">
      <Notice
        kind="unsure"
        title={`${soon.length} of ${active} active waivers ${soon.length === 1 ? 'expires' : 'expire'} within 7 days`}
      >
        When a waiver expires, the policies apply again, and the environment may become non-compliant.
      </Notice>
    </div>
  );
}

function columnsOf(
  org: string,
  now: number,
  whyNot: string | undefined,
  onWithdraw: (waiver: Waiver) => void,
): readonly Column<Waiver>[] {
  return [
    {
      key: 'artifact',
      title: 'Artifact',
      wide: true,
      cell: ({ artifact_name, fingerprint, description }) => (
        <>
          <Link href={paths.anyArtifact(org, fingerprint)} className="font-medium">
            {artifact_name}
          </Link>{' '}
          <code className="text-quiet" title={fingerprint}>
            {fingerprint.slice(0, 7)}
          </code>
          <div className="text-quiet">{description}</div>
        </>
      ),
    },
    { key: 'state', title: 'State', cell: (waiver) => <WaiverStateBadge state={waiverStateOf(waiver, now)} /> },
    {
      key: 'env',
      title: 'Environment',
      cell: ({ environment_name }) => (
        <div className="sm:min-w-28">
          <Link href={paths.environment(org, environment_name)}>{environment_name}</Link>
        </div>
      ),
    },
    { key: 'by', title: 'By', cell: ({ user_name }) => user_name },
    { key: 'since', title: 'Created', secondary: true, cell: ({ timestamp }) => <Time at={timestamp} /> },
    { key: 'until', title: 'Expires', cell: (waiver) => <Until of={waiver} /> },
    {
      key: 'end',
      title: 'Actions',
      cell: (waiver) =>
        counts(waiverStateOf(waiver, now)) ? (
          <span className="-my-1 flex flex-wrap sm:flex-nowrap">
            {waiver.expires_at !== null && <RenewWaiver of={waiver} variant="quiet" />}
            <Button
              variant="quiet"
              whyNot={whyNot}
              aria-label={`Withdraw ${waiver.artifact_name}`}
              onPress={() => onWithdraw(waiver)}
            >
              Withdraw
            </Button>
          </span>
        ) : (
          <span className="text-quiet">–</span>
        ),
    },
  ];
}

function Until({ of }: { readonly of: Waiver }) {
  if (of.ended_at === null) return <Time at={of.expires_at} none="no expiry" />;
  return (
    <>
      <Time at={of.ended_at} />
      {of.end_reason !== 'expired' && of.ended_by !== null && <span className="text-quiet"> by {of.ended_by}</span>}
    </>
  );
}

function Withdraw({ of, onClose }: { readonly of: Waiver; readonly onClose: () => void }) {
  const org = useOrg();
  const write = useWrite(withdrawWaiver, { done: 'Waiver withdrawn.', onDone: onClose });
  return (
    <ConfirmDialog
      title={`Withdraw the waiver for ${of.artifact_name}?`}
      confirm="Withdraw waiver"
      write={write}
      onConfirm={() => write.mutate({ params: { org, env_name: of.environment_name, fingerprint: of.fingerprint } })}
      onClose={onClose}
    >
      <p>
        The policies of {of.environment_name} apply again. If the artifact runs there and fails them, the environment
        becomes non-compliant.
      </p>
    </ConfirmDialog>
  );
}

function NoWaivers({ org, search }: { readonly org: string; readonly search: ExceptionSearch }) {
  if (search.env !== undefined || search.show === 'all')
    return <Empty title="No waivers match these filters">Change the filters to see more.</Empty>;
  return (
    <Empty title="No active waivers">
      Every running artifact must satisfy the policies. In an emergency, add a waiver in one of the{' '}
      <Link href={paths.environments(org)} className="underline">
        environments
      </Link>
      , with a reason and an expiry.
    </Empty>
  );
}
