import type { SnapshotArtifact } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { duration } from '../../lib/time.ts';
import { Digits } from '../../ui/Copy.tsx';
import { type Column, DataTable, type Sort } from '../../ui/DataTable.tsx';
import { Link, OutsideLink } from '../../ui/Link.tsx';
import { Tag } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { ArtifactVerdict, type Where } from './ArtifactVerdict.tsx';
import { nameAndVersion } from './artifact-name.ts';
import { placeOf } from './artifact-place.ts';

interface ArtifactTableProps {
  readonly artifacts: readonly SnapshotArtifact[];
  readonly where: Where;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly empty: React.ReactNode;
}

/** What ran, one row for each name and fingerprint. */
export function ArtifactTable({ artifacts, where, sort, onSort, empty }: ArtifactTableProps) {
  const org = useOrg();
  return (
    <DataTable
      caption={`Artifacts of ${where.env}`}
      columns={columnsOf(org, where)}
      rows={artifacts}
      rowKey={({ name, fingerprint }) => `${fingerprint} ${name}`}
      sort={sort}
      onSort={onSort}
      empty={empty}
    />
  );
}

function columnsOf(org: string, where: Where): readonly Column<SnapshotArtifact>[] {
  return [
    {
      key: 'name',
      title: 'Artifact',
      sort: 'name',
      cell: (artifact) => <Artifact artifact={artifact} org={org} />,
    },
    {
      key: 'verdict',
      title: 'Verdict',
      sort: 'compliance',
      cell: (artifact) => <ArtifactVerdict artifact={artifact} where={where} />,
      wide: true,
    },
    {
      key: 'flow',
      title: 'Provenance',
      sort: 'flow',
      cell: (artifact) => <Provenance artifact={artifact} org={org} />,
    },
    {
      key: 'since',
      title: 'Started',
      sort: 'started_at',
      cell: (artifact) => <Running artifact={artifact} />,
    },
    {
      key: 'lead',
      title: 'Lead time',
      align: 'right',
      secondary: true,
      cell: ({ commit_lead_time }) =>
        commit_lead_time === null ? (
          <span className="text-quiet">–</span>
        ) : (
          <span className="whitespace-nowrap">{duration(commit_lead_time)}</span>
        ),
    },
  ];
}

function Running({ artifact: { annotation, creationTimestamp } }: { readonly artifact: SnapshotArtifact }) {
  const { was, now } = annotation;
  if (now === 0) return <span className="text-quiet">–</span>;
  return (
    <>
      <Time at={oldestOf(creationTimestamp)} />
      <div className="text-[12.5px] whitespace-nowrap text-quiet">
        {was !== now && was > 0 && `${was} → `}
        {now === 1 ? '1 instance' : `${now.toLocaleString('en')} instances`}
      </div>
    </>
  );
}

function oldestOf(starts: readonly number[]): number | null {
  return starts.length === 0 ? null : starts.reduce((least, start) => Math.min(least, start));
}

interface CellProps {
  readonly artifact: SnapshotArtifact;
  readonly org: string;
}

const HAPPENED: Readonly<Record<SnapshotArtifact['annotation']['type'], string>> = {
  unchanged: '',
  'started-compliant': 'started',
  'started-non-compliant': 'started',
  'started-unknown': 'started',
  'became-compliant': 'became compliant',
  'became-non-compliant': 'became non-compliant',
  'updated-provenance': 'provenance added',
  exited: 'exited',
};

function Artifact({ artifact, org }: CellProps) {
  const { name: text, fingerprint, flow_name, annotation } = artifact;
  const { name, version } = nameAndVersion(text);
  const happened = HAPPENED[annotation.type];
  const place = placeOf(artifact);
  const title = (
    <>
      {name}
      {version !== '' && <span className="inline-block max-w-full text-quiet">:{version}</span>}
    </>
  );
  return (
    <div className="[overflow-wrap:anywhere] sm:min-w-40 xl:min-w-72">
      <div className="flex flex-wrap items-center gap-x-1.5">
        {fingerprint === '' ? (
          <span className="font-medium">{title}</span>
        ) : (
          <Link
            className="font-medium"
            // A name that wraps onto two lines is still one name.
            aria-label={text}
            href={flow_name === '' ? paths.anyArtifact(org, fingerprint) : paths.artifact(org, flow_name, fingerprint)}
          >
            {title}
          </Link>
        )}
        {happened !== '' && <Tag>{happened}</Tag>}
      </div>
      <div className="flex flex-wrap items-center gap-x-2 text-[12.5px] text-quiet">
        {fingerprint === '' ? 'not identified' : <Digits text={fingerprint} what="fingerprint" />}
        {place}
      </div>
    </div>
  );
}

function Provenance({ artifact, org }: CellProps) {
  const [newest, ...others] = artifact.flows;
  if (!newest) return <span className="whitespace-nowrap text-quiet">no provenance</span>;
  return (
    <div className="[overflow-wrap:anywhere] sm:min-w-32">
      <Link href={paths.flow(org, newest.flow_name)}>{newest.flow_name}</Link>
      <div className="text-[12.5px] text-quiet">
        trail <Link href={paths.trail(org, newest.flow_name, newest.trail_name)}>{newest.trail_name}</Link>
      </div>
      <Commit artifact={artifact} />
      {others.length > 0 && (
        <div className="text-[12.5px] text-quiet">also in {others.map(({ flow_name }) => flow_name).join(', ')}</div>
      )}
    </div>
  );
}

function Commit({ artifact: { git_commit, commit_url, deployment_diff } }: { readonly artifact: SnapshotArtifact }) {
  if (git_commit === '') return null;
  return (
    <div className="text-[12.5px] whitespace-nowrap text-quiet">
      commit{' '}
      <OutsideLink href={commit_url}>
        <code title={git_commit}>{git_commit.slice(0, 7)}</code>
      </OutsideLink>
      {deployment_diff && deployment_diff.diff_url !== '' && (
        <>
          {' · '}
          <OutsideLink href={deployment_diff.diff_url}>changes</OutsideLink>
        </>
      )}
    </div>
  );
}
