import { type Environment, getTimeline, listSnapshots } from '@waymark/contract';
import { useCallback } from 'react';
import { z } from 'zod';
import { useNow } from '../../lib/now.ts';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam, useSearchState } from '../../lib/route.ts';
import { placeOf } from '../../pictures/timeline-moment.ts';
import { overviewOf, PRESETS, type Span, spanAround } from '../../pictures/timeline-span.ts';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { EnvironmentHead, useEnvironment } from '../environments/EnvironmentHead.tsx';
import { reportCommand } from '../environments/report-command.ts';
import type { Places } from './places.ts';
import { TimelineControls } from './TimelineControls.tsx';
import { TimeMachine } from './TimeMachine.tsx';

const Moment = z.coerce.number().int().min(0).max(99_999_999_999).optional();
const Search = z.object({
  from: Moment,
  to: Moment,
  /** A time, or the number of a snapshot. */
  at: Moment,
  with: Moment,
  q: z.string().optional(),
  page: z.coerce.number().int().min(1).default(1),
});

const LANES = 30;
/** More than a reader can tell apart, and what a slow browser draws within a second. */
const RUNS = 400;
const WEEK = PRESETS[1].seconds;

export function TimelinePage() {
  const { data: environment } = useEnvironment();
  return (
    <>
      <EnvironmentHead />
      {environment && <Shown environment={environment} />}
    </>
  );
}

function Shown({ environment }: { readonly environment: Environment }) {
  if (environment.type === 'logical') return <Members of={environment} />;
  if (environment.latest_snapshot_index === 0)
    return (
      <Panel>
        <Empty title="No history yet" command={reportCommand(environment.type, environment.name, environment.org)}>
          The timeline starts with the first report. Send one:
        </Empty>
      </Panel>
    );
  return <Machine environment={environment} />;
}

function Members({ of }: { readonly of: Environment }) {
  return (
    <Panel title="Timelines of its members">
      <p className="mb-2 text-quiet">A logical environment has no snapshots of its own. Open one of its members:</p>
      <ul className="space-y-1">
        {of.included_environments.map((name) => (
          <li key={name}>
            <Link href={paths.timeline(of.org, name)}>{name}</Link>
          </li>
        ))}
      </ul>
      {of.included_environments.length === 0 && <p>No members yet.</p>}
    </Panel>
  );
}

/** The time of the snapshot that the address names; null if it does not exist. With the state of the query. */
function useTimeOf(sent: number | undefined) {
  const place = placeOf(sent);
  const index = place && 'snapshot' in place ? place.snapshot : undefined;
  const question = useRead(
    listSnapshots,
    { params: { org: useOrg(), env_name: useParam('env') }, query: { interval: `${index}..${index}` } },
    { enabled: index !== undefined && index > 0, fresh: true },
  );
  return [timeAt(place, question.data), question] as const;
}

function timeAt(
  place: ReturnType<typeof placeOf>,
  found: readonly { readonly from: number }[] | undefined,
): number | null | undefined {
  if (place && 'time' in place) return place.time;
  if (place?.snapshot === 0) return null;
  return found && (found[0]?.from ?? null);
}

/** The requested window, or a week: the last one, unless the playhead lies before it. */
function windowOf(from: number | undefined, to: number | undefined, at: number | null | undefined, now: number) {
  if (from !== undefined || to !== undefined) return { from: from ?? (to ?? now) - WEEK, to };
  return typeof at === 'number' && at < now - WEEK ? spanAround(at, WEEK, now) : { from: undefined, to: undefined };
}

function Machine({ environment }: { readonly environment: Environment }) {
  const params = { org: useOrg(), env_name: useParam('env') };
  const [search, change] = useSearchState(Search);
  const now = useNow();
  const [at, atQuestion] = useTimeOf(search.at);
  const [second, secondQuestion] = useTimeOf(search.with);
  const failed = [atQuestion, secondQuestion].find(({ data, error }) => error !== null && data === undefined);
  const asked = windowOf(search.from, search.to, at, now);
  const timeline = useRead(
    getTimeline,
    { params, query: { ...asked, page: search.page, per_page: LANES, runs: RUNS, name: search.q } },
    { enabled: search.at === undefined || at !== undefined },
  );
  const shown = timeline.data && { from: timeline.data.from, to: timeline.data.to };
  const whole = overviewOf(shown ?? { from: now - WEEK, to: now }, now);
  const overview = useRead(getTimeline, {
    params,
    query: { from: whole.from, runs: 0, ...(whole.to < now && { to: Math.floor(whole.to) }) },
  });
  const place = useCallback((changes: Places) => change(changes, { replace: true }), [change]);
  const showSpan = useCallback(
    ({ from, to }: Span) => change({ from, to: to >= Date.now() / 1000 - 90 ? undefined : to }),
    [change],
  );
  return (
    <>
      <NewNotice
        kinds={['environment']}
        subjectId={environment.id}
        loadedAt={timeline.dataUpdatedAt}
        onShow={() => void timeline.refetch()}
      />
      {at === null && (
        <div className="mb-3">
          <Notice kind="unsure">{`Snapshot #${search.at} of this environment does not exist. The latest is #${environment.latest_snapshot_index}.`}</Notice>
        </div>
      )}
      {shown && (
        <TimelineControls
          span={shown}
          at={at ?? shown.to}
          now={now}
          isToNow={search.to === undefined && shown.to > now - 900}
          name={search.q ?? ''}
          onName={(q) => change({ q, page: undefined }, { replace: true })}
          onSpan={showSpan}
          onPreset={(seconds) =>
            change({
              from: seconds === WEEK ? undefined : now - seconds,
              to: undefined,
              at: undefined,
              with: undefined,
            })
          }
        />
      )}
      {/* Without the time of its snapshot the timeline is not requested: that error is the one to show and retry. */}
      <Loaded of={failed ? { ...failed, data: timeline.data } : timeline} lines={10}>
        {(data) => (
          <>
            <TimeMachine
              timeline={data}
              overview={overview.data}
              sent={{ at: search.at, with: search.with }}
              times={{ at: at ?? undefined, with: second ?? undefined }}
              latest={environment.latest_snapshot_index}
              isFiltered={search.q !== undefined}
              now={now}
              change={place}
              onSpan={showSpan}
            />
            {data.total_lanes > LANES && (
              <Pager
                page={search.page}
                pages={Math.ceil(data.total_lanes / LANES)}
                total={data.total_lanes}
                what="services"
                onPage={(page) => change({ page })}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}
