import { type Environment, exportSnapshots, listSnapshots } from '@waymark/contract';
import { z } from 'zod';
import { dayEnd, dayStart } from '../../lib/day.ts';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { duration } from '../../lib/time.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { DayInput } from '../../ui/DayInput.tsx';
import { ExportButtons } from '../../ui/ExportButtons.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty, Failure, Loaded, Loading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { EnvironmentHead, useEnvironment } from './EnvironmentHead.tsx';
import { MembersInstead } from './MembersInstead.tsx';
import { reportCommand } from './report-command.ts';
import { SnapshotVerdict } from './SnapshotVerdict.tsx';
import type { Interval } from './snapshot-interval.ts';
import { triggerWords } from './trigger-words.ts';
import { useInterval } from './use-interval.ts';

const Search = z.object({
  from: z.string().optional(),
  to: z.string().optional(),
  order: z.literal('oldest').optional(),
  page: z.coerce.number().int().min(1).default(1),
});
type Search = z.output<typeof Search>;
type Change = (changes: Partial<z.input<typeof Search>>) => void;

const PER_PAGE = 50;

export function SnapshotsPage() {
  const org = useOrg();
  const { data: environment, error } = useEnvironment();
  const isLogical = environment?.type === 'logical';
  return (
    <>
      <EnvironmentHead />
      {!environment && !error && <Loading />}
      {environment && isLogical && (
        <MembersInstead environment={environment} what="snapshots" to={(name) => paths.snapshots(org, name)} />
      )}
      {environment && !isLogical && <Snapshots key={environment.id} environment={environment} />}
    </>
  );
}

function Snapshots({ environment }: { readonly environment: Environment }) {
  const [search, change] = useSearchState(Search);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <DayInput label="From" value={search.from} onChange={(from) => change({ from, page: undefined })} />
        <DayInput label="To" value={search.to} onChange={(to) => change({ to, page: undefined })} />
        {(search.from !== undefined || search.to !== undefined) && (
          <Button variant="quiet" onPress={() => change({ from: undefined, to: undefined, page: undefined })}>
            All days
          </Button>
        )}
        <Button
          variant="quiet"
          onPress={() => change({ order: search.order === undefined ? 'oldest' : undefined, page: undefined })}
        >
          {search.order === undefined ? 'Oldest first' : 'Newest first'}
        </Button>
        <span className="text-[12.5px] text-quiet no-print">Dates are in UTC.</span>
      </div>
      {isBackwards(search) ? (
        <p className="text-bad">The period ends before it starts. Choose a later last day.</p>
      ) : (
        <InDays environment={environment} search={search} onChange={change} />
      )}
    </>
  );
}

function isBackwards({ from, to }: Search): boolean {
  const [start, end] = [dayStart(from), dayEnd(to)];
  return start !== undefined && end !== undefined && start > end;
}

interface ListProps {
  readonly environment: Environment;
  readonly search: Search;
  readonly onChange: Change;
}

function InDays({ environment, search, onChange }: ListProps) {
  const { interval, error } = useInterval(environment.name, search, environment.latest_snapshot_index);
  return (
    <>
      {error && <Failure error={error} />}
      {interval === undefined && !error && <Loading />}
      {interval === null && (
        <Panel>
          <NoSnapshots environment={environment} />
        </Panel>
      )}
      {interval && <SnapshotList environment={environment} interval={interval} search={search} onChange={onChange} />}
    </>
  );
}

function SnapshotList({ environment, interval, search, onChange }: ListProps & { readonly interval: Interval }) {
  const org = useOrg();
  const { refetch: refetchEnvironment } = useEnvironment();
  const ofPeriod = {
    interval: `${interval.from}..${interval.to}`,
    ...(search.order === 'oldest' && { reverse: 'true' as const }),
  };
  const snapshots = useRead(listSnapshots, {
    params: { org, env_name: environment.name },
    query: { page: search.page, per_page: PER_PAGE, ...ofPeriod },
  });
  const total = interval.to - interval.from + 1;
  return (
    <>
      <NewNotice
        kinds={['environment']}
        subjectId={environment.id}
        loadedAt={snapshots.dataUpdatedAt}
        onShow={() => void Promise.all([refetchEnvironment(), snapshots.refetch()])}
      />
      <Panel
        flush
        title="Snapshots"
        actions={
          <ExportButtons
            of={exportSnapshots}
            input={{ params: { org, env_name: environment.name }, query: ofPeriod }}
            name={`snapshots-${environment.name}`}
          />
        }
      >
        <Loaded of={snapshots}>
          {(rows) => (
            <>
              <DataTable
                caption={`Snapshots of ${environment.name}`}
                columns={columnsOf(org, environment)}
                rows={rows}
                rowKey={({ index }) => String(index)}
              />
              <Pager
                page={search.page}
                pages={Math.ceil(total / PER_PAGE)}
                total={total}
                what={total === 1 ? 'snapshot' : 'snapshots'}
                onPage={(page) => onChange({ page })}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  );
}

type Summary = z.output<(typeof listSnapshots)['reply']>[number];

function columnsOf(org: string, { name: env, stale }: Environment): readonly Column<Summary>[] {
  return [
    {
      key: 'index',
      title: 'Snapshot',
      cell: ({ index }) => (
        <Link href={paths.snapshot(org, env, index)} className="font-medium">
          #{index}
        </Link>
      ),
    },
    {
      key: 'state',
      title: 'Verdict',
      cell: ({ index, compliance, to }) => (
        <span className="inline-flex items-center gap-x-2 whitespace-nowrap">
          <SnapshotVerdict compliance={compliance} isStale={stale && to === 0} />
          {compliance !== 'compliant' && (
            <Link
              href={paths.environmentWhy(org, env, index)}
              className="text-[12.5px] no-print"
              aria-label={`Why #${index}?`}
            >
              Why?
            </Link>
          )}
        </span>
      ),
    },
    {
      key: 'from',
      title: 'Period',
      wide: true,
      cell: ({ from, duration: seconds, to }) => (
        <>
          from <Time at={from} as="exact" />{' '}
          <span className="whitespace-nowrap text-quiet">
            for {duration(seconds)}
            {to === 0 && ' so far'}
          </span>
        </>
      ),
    },
    {
      key: 'artifacts',
      title: 'Artifacts',
      align: 'right',
      cell: ({ artifact_count }) => artifact_count.toLocaleString('en'),
    },
    {
      key: 'trigger',
      title: 'Trigger',
      cell: ({ trigger }) => <span className="whitespace-nowrap">{triggerWords(trigger)}</span>,
      secondary: true,
    },
    {
      key: 'before',
      title: 'Changes',
      cell: ({ index }) =>
        index > 1 ? (
          <Link
            href={paths.compare(org, env, index - 1, index)}
            aria-label={`Changes in #${index} since #${index - 1}`}
            className="whitespace-nowrap"
          >
            since #{index - 1}
          </Link>
        ) : (
          <span className="text-quiet">first snapshot</span>
        ),
    },
  ];
}

function NoSnapshots({ environment: { name, type, latest_snapshot_index } }: { readonly environment: Environment }) {
  const org = useOrg();
  if (latest_snapshot_index > 0)
    return <Empty title="No snapshots in this period">The first snapshot is later. Choose other days.</Empty>;
  return (
    <Empty title="No snapshots yet" command={reportCommand(type, name, org)}>
      Waymark creates a snapshot when a report differs from the previous one. Report what runs here:
    </Empty>
  );
}
