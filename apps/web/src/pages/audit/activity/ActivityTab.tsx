import type { Activity } from '@waymark/contract';
import { useOrg, useSearchState } from '../../../lib/route.ts';
import { useMay } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Link } from '../../../ui/Link.tsx';
import { NewNotice } from '../../../ui/NewNotice.tsx';
import { CursorPager } from '../../../ui/Pager.tsx';
import { Panel, Tag } from '../../../ui/Panel.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { ActivityCounts } from './ActivityCounts.tsx';
import { ActivityFilters } from './ActivityFilters.tsx';
import { ActivitySearch, isFiltered } from './activity-search.ts';
import { partsOf } from './entry-parts.ts';
import { useActivity } from './use-activity.ts';

const ALL_KINDS = [
  'environment',
  'flow',
  'trail',
  'artifact',
  'attestation',
  'policy',
  'control',
  'notification',
  'target',
  'org',
] as const;

/** Everything that anyone did, newest first. */
export function ActivityTab() {
  const org = useOrg();
  const [search, change] = useSearchState(ActivitySearch);
  const activity = useActivity(search);
  const seesAll = useMay('manage_members');
  return (
    <>
      <NewNotice kinds={ALL_KINDS} loadedAt={activity.dataUpdatedAt} onShow={() => void activity.refetch()} />
      <ActivityFilters search={search} change={change} />
      <div className="space-y-4">
        <ActivityCounts search={search} onDays={(from, to) => change({ from, to, after: undefined })} />
        <Panel
          flush
          title="Activity"
          note={seesAll ? undefined : 'excludes members, sign-in, service accounts, and keys, which only admins see'}
        >
          <Loaded of={activity}>
            {({ data, pagination: { next } }) => (
              <>
                <DataTable
                  caption="Activity, newest first"
                  columns={columnsOf(org, (actor) => change({ actor, after: undefined }))}
                  rows={data}
                  rowKey={({ id }) => id}
                  empty={
                    <Nothing
                      filtered={isFiltered(search)}
                      {...(next !== null && { onMore: () => change({ after: next }) })}
                    />
                  }
                />
                <CursorPager after={search.after} next={next} onMove={(after) => change({ after })} />
              </>
            )}
          </Loaded>
        </Panel>
      </div>
    </>
  );
}

/** Only addresses of this application, whatever was sent. */
function ownPath(path: string | null, org: string): string | undefined {
  return path?.startsWith(`/${encodeURIComponent(org)}`) ? path : undefined;
}

function columnsOf(org: string, onActor: (actor: string) => void): readonly Column<Activity>[] {
  return [
    {
      key: 'what',
      title: 'Summary',
      wide: true,
      cell: (entry) => {
        const path = ownPath(entry.html_path, org);
        const { before, linked, after } = partsOf(entry);
        return (
          <>
            {before}
            {path === undefined ? (
              linked
            ) : (
              // Within a sentence, color alone does not tell a link from the text.
              <Link href={path} className="underline">
                {linked}
              </Link>
            )}
            {after}
          </>
        );
      },
    },
    {
      key: 'who',
      title: 'Actor',
      cell: ({ actor }) => (
        <button
          type="button"
          title={`Show only entries by ${actor}`}
          className="cursor-pointer text-left break-words hover:underline sm:min-w-24"
          onClick={() => onActor(actor)}
        >
          {actor}
        </button>
      ),
    },
    { key: 'when', title: 'When', cell: ({ recorded_at }) => <Time at={recorded_at} as="exact" /> },
    { key: 'type', title: 'Type', secondary: true, cell: ({ type }) => <Tag>{type}</Tag> },
  ];
}

function Nothing({ filtered, onMore }: { readonly filtered: boolean; readonly onMore?: () => void }) {
  if (onMore)
    return (
      <Empty title="No matches so far">
        <p>None of the entries searched so far match. There are older ones.</p>
        <div className="mt-3">
          <Button onPress={onMore}>Search further back</Button>
        </div>
      </Empty>
    );
  if (filtered) return <Empty title="No entries match these filters">Remove a filter to see more.</Empty>;
  return <Empty title="No activity yet">Waymark records every change in this org here.</Empty>;
}
