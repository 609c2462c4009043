import { listTrailEvents, type Trail } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { CursorPager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { ErasedTag } from '../attestations/ErasedTag.tsx';
import { typeWords } from '../attestations/summary.ts';
import { useErased } from '../attestations/use-erased.ts';
import { type Happened, happenedOf } from './trail-events.ts';

const PER_PAGE = 50;

interface HistoryProps {
  readonly org: string;
  readonly trail: Trail;
  readonly after: string | undefined;
  readonly onPage: (after: string | undefined) => void;
}

/** All events in order of arrival. */
export function TrailHistory({ org, trail, after, onPage }: HistoryProps) {
  const events = useRead(listTrailEvents, {
    params: { org, flow_name: trail.flow_name, trail_name: trail.name },
    query: { per_page: PER_PAGE, after },
  });
  return (
    <Panel title="Received reports" note="Newest first" flush>
      <Loaded of={events}>
        {({ data, pagination }) => {
          const happened = data.map(happenedOf);
          return (
            <>
              <DataTable
                caption="Reports received in this trail, newest first"
                columns={columnsOf(org, trail)}
                rows={happened.map((event, place) => ({ ...event, key: `${place}` }))}
                rowKey={({ key }) => key}
              />
              <CursorPager after={after} next={pagination.next} onMove={onPage} />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function columnsOf(org: string, trail: Trail): readonly Column<Happened>[] {
  return [
    { key: 'at', title: 'Received', cell: (event) => <Received event={event} /> },
    { key: 'name', title: 'Report', wide: true, cell: (event) => <What org={org} trail={trail} event={event} /> },
    {
      key: 'type',
      title: 'Type',
      cell: ({ kind, attestationType, what }) => (
        <span className="sm:whitespace-nowrap">{kind === 'attestation' ? typeWords(attestationType ?? '') : what}</span>
      ),
    },
    {
      key: 'about',
      title: 'Subject',
      cell: ({ about }) => <span className="sm:whitespace-nowrap">{about || '–'}</span>,
    },
    { key: 'state', title: 'Verdict', cell: ({ state }) => (state === null ? '–' : <StateBadge state={state} />) },
    { key: 'by', title: 'By', secondary: true, cell: ({ by }) => by },
  ];
}

function Received({ event }: { readonly event: Happened }) {
  return (
    <div>
      <Time at={event.at} as="short" />
      {event.isLate && (
        <div className="text-[12.5px] text-unsure">
          late, happened <Time at={event.claimedAt} as="short" />
        </div>
      )}
    </div>
  );
}

function What({ org, trail, event }: { readonly org: string; readonly trail: Trail; readonly event: Happened }) {
  const { attestationId, fingerprint, name, kind } = event;
  const erased = useErased(org);
  if (attestationId !== null)
    return (
      <span className="inline-flex flex-wrap items-center gap-2">
        <Link href={paths.trail(org, trail.flow_name, trail.name, attestationId)}>{name}</Link>
        <ErasedTag of={erased.get(attestationId)} />
      </span>
    );
  if (kind === 'artifact' && fingerprint !== null)
    return (
      <span>
        <Link href={paths.artifact(org, trail.flow_name, fingerprint)} className="underline">
          {name}
        </Link>{' '}
        <code className="text-quiet">{fingerprint.slice(0, 7)}</code>
      </span>
    );
  return <>{name}</>;
}
