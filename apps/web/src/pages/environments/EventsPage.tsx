import { lazyRouteComponent } from '@tanstack/react-router';
import type { Environment, EnvironmentEvent } from '@waymark/contract';
import { Suspense } from 'react';
import { z } from 'zod';
import { dayOfSeconds } from '../../lib/day.ts';
import { useNow } from '../../lib/now.ts';
import { paths, withQuery } from '../../lib/paths.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { Digits } from '../../ui/Copy.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { DayInput } from '../../ui/DayInput.tsx';
import { Link, OutsideLink } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { NoRows, Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StateBadge, stateOf } from '../../ui/StateBadge.tsx';
import { Empty, Loaded, Loading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { EnvironmentHead, useEnvironment } from './EnvironmentHead.tsx';
import { type EventWindow, eventWindow } from './event-window.ts';
import { RepositoryBox } from './RepositoryBox.tsx';
import { reportCommand } from './report-command.ts';
import { useEvents } from './use-events.ts';

const EventDensity = lazyRouteComponent(() => import('./EventDensity.tsx'), 'EventDensity');

const Search = z.object({
  from: z.string().optional(),
  to: z.string().optional(),
  repo: z.string().optional(),
  order: z.literal('oldest').optional(),
  page: z.coerce.number().int().min(1).default(1),
});

const PER_PAGE = 50;
const PRESETS = [7, 30, 90];

export function EventsPage() {
  const { data: environment, error } = useEnvironment();
  return (
    <>
      <EnvironmentHead />
      {environment ? <Events key={environment.id} environment={environment} /> : !error && <Loading />}
    </>
  );
}

function Events({ environment }: { readonly environment: Environment }) {
  const org = useOrg();
  const [search, change] = useSearchState(Search);
  const now = useNow();
  const window = eventWindow(search.from, search.to, now);
  const events = useEvents({
    params: { org, env_name: environment.name },
    query: {
      page: search.page,
      per_page: PER_PAGE,
      start_ts: window.from,
      end_ts: window.to,
      ...(search.repo !== undefined && { repo_name: search.repo }),
      ...(search.order === 'oldest' && { reverse: 'true' as const }),
    },
  });
  const goTo = (page: number) => change({ page });
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-end gap-x-3 gap-y-2 no-print">
        <DayInput
          label="From"
          value={dayOfSeconds(window.from)}
          onChange={(from) => change({ from, page: undefined })}
        />
        <DayInput label="To" value={dayOfSeconds(window.to)} onChange={(to) => change({ to, page: undefined })} />
        <div className="flex gap-1">
          {PRESETS.map((days) => (
            <Button
              key={days}
              variant="quiet"
              className="!px-2"
              onPress={() => change({ from: dayOfSeconds(now - (days - 1) * 86_400), to: undefined, page: undefined })}
            >
              {days} days
            </Button>
          ))}
        </div>
        <RepositoryBox value={search.repo} onPick={(repo) => change({ repo, page: undefined })} />
        {search.repo !== undefined && (
          <Button variant="quiet" onPress={() => change({ repo: undefined, page: undefined })}>
            All repositories
          </Button>
        )}
        <div className="ml-auto flex gap-2">
          <Button
            variant="quiet"
            onPress={() => change({ order: search.order === undefined ? 'oldest' : undefined, page: undefined })}
          >
            {search.order === undefined ? 'Oldest first' : 'Newest first'}
          </Button>
          <LinkButton href={csvAddress(org, environment.name, window, search.repo)} download>
            Download CSV
          </LinkButton>
        </div>
      </div>
      <Suspense fallback={<Loading />}>
        <EventDensity
          environment={environment}
          window={window}
          onDay={(day) => change({ from: day, to: day, page: undefined })}
        />
      </Suspense>
      <div>
        <NewNotice
          kinds={['environment']}
          {...(environment.type !== 'logical' && { subjectId: environment.id })}
          loadedAt={events.dataUpdatedAt}
          onShow={() => void events.refetch()}
        />
        <Panel flush>
          <Loaded of={events}>
            {({ events: rows, total, pages }) => (
              <>
                <DataTable
                  caption={`Events in ${environment.name}`}
                  columns={columnsOf(org, environment)}
                  rows={rows}
                  rowKey={(event) =>
                    `${event.environment_name} ${event.snapshot_index} ${event.type} ${event.sha256} ${event.artifact_name}`
                  }
                  empty={
                    <NoRows total={total} pages={pages} onPage={goTo}>
                      <NoEvents environment={environment} />
                    </NoRows>
                  }
                />
                <Pager
                  page={search.page}
                  pages={pages}
                  total={total}
                  what={total === 1 ? 'event' : 'events'}
                  onPage={goTo}
                />
              </>
            )}
          </Loaded>
        </Panel>
      </div>
    </div>
  );
}

/** The same window; repositories separated by commas. */
function csvAddress(org: string, env: string, { from, to }: EventWindow, repo: string | undefined): string {
  const path = `/api/v2/environments/${encodeURIComponent(org)}/${encodeURIComponent(env)}/auditlog`;
  return withQuery(path, { from_timestamp: from, to_timestamp: to, repo_names: repo });
}

const EVENT_WORDS: Readonly<Record<EnvironmentEvent['type'], string>> = {
  started: 'Started',
  exited: 'Exited',
  changed: 'Changed',
  'updated-provenance': 'Got provenance',
};

function columnsOf(org: string, environment: Environment): readonly Column<EnvironmentEvent>[] {
  return [
    { key: 'at', title: 'When', cell: ({ reported_at }) => <Time at={reported_at} as="exact" /> },
    {
      key: 'type',
      title: 'Event',
      cell: ({ type, description }) => (
        <span title={description} className="font-medium whitespace-nowrap">
          {EVENT_WORDS[type]}
        </span>
      ),
    },
    { key: 'artifact', title: 'Artifact', wide: true, cell: (event) => <EventArtifact event={event} org={org} /> },
    {
      key: 'state',
      title: 'Verdict',
      cell: ({ type, artifact_compliance }) =>
        type === 'exited' ? <span className="text-quiet">–</span> : <StateBadge state={stateOf(artifact_compliance)} />,
    },
    {
      key: 'snapshot',
      title: 'Snapshot',
      cell: ({ environment_name, snapshot_index }) => (
        <Link href={paths.snapshot(org, environment_name, snapshot_index)} className="whitespace-nowrap">
          {environment.type === 'logical' ? `${environment_name} #${snapshot_index}` : `#${snapshot_index}`}
        </Link>
      ),
    },
  ];
}

function EventArtifact({ event, org }: { readonly event: EnvironmentEvent; readonly org: string }) {
  const { artifact_name, sha256, pipeline, description, code_diff } = event;
  return (
    <div>
      {sha256 === '' ? (
        <span>{artifact_name}</span>
      ) : (
        <Link href={pipeline === '' ? paths.anyArtifact(org, sha256) : paths.artifact(org, pipeline, sha256)}>
          {artifact_name}
        </Link>
      )}
      <div className="flex flex-wrap items-center gap-x-2 text-[12.5px] text-quiet">
        {sha256 === '' ? 'not identified' : <Digits text={sha256} what="fingerprint" />}
        {pipeline === '' ? 'no provenance' : <Link href={paths.flow(org, pipeline)}>{pipeline}</Link>}
        <span>{description}</span>
        {code_diff !== '' && <OutsideLink href={code_diff}>changes since the previous version</OutsideLink>}
      </div>
    </div>
  );
}

function NoEvents({ environment: { name, type, last_changed_at } }: { readonly environment: Environment }) {
  const org = useOrg();
  if (last_changed_at !== null)
    return <Empty title="No events match these filters">Choose other days, or another repository.</Empty>;
  return (
    <Empty title="No events yet" command={reportCommand(type, name, org)}>
      Artifacts that start, exit, or change are listed here after the first report:
    </Empty>
  );
}
