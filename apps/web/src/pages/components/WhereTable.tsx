import type { WhereComponent } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Digits } from '../../ui/Copy.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { Time } from '../../ui/Time.tsx';

type Found = WhereComponent['data'][number];

const ENVIRONMENTS_SHOWN = 10;

export function WhereTable({ rows, empty }: { readonly rows: readonly Found[]; readonly empty: React.ReactNode }) {
  const org = useOrg();
  return (
    <DataTable
      caption="Artifacts that run the component"
      columns={columnsOf(org)}
      rows={rows}
      rowKey={({ fingerprint }) => fingerprint}
      empty={empty}
    />
  );
}

function columnsOf(org: string): readonly Column<Found>[] {
  return [
    { key: 'environments', title: 'Environments', wide: true, cell: (found) => <Environments org={org} of={found} /> },
    {
      key: 'artifact',
      title: 'Artifact',
      cell: ({ fingerprint, name, sboms: [sbom] }) => (
        <div className="min-w-0">
          <Link
            className="font-medium"
            href={sbom ? paths.artifact(org, sbom.flow_name, fingerprint) : paths.anyArtifact(org, fingerprint)}
          >
            {name}
          </Link>
          <div>
            <Digits text={fingerprint} what="fingerprint" />
          </div>
        </div>
      ),
    },
    { key: 'versions', title: 'Versions', cell: (found) => <Versions of={found} /> },
    {
      key: 'range',
      title: 'In range',
      cell: ({ in_range }) => (in_range === true ? 'Yes' : <span className="text-unsure">Unknown</span>),
    },
    {
      key: 'sbom',
      title: 'SBOM recorded',
      cell: ({ sboms: [sbom] }) =>
        sbom && (
          <Link href={paths.trail(org, sbom.flow_name, sbom.trail_name, sbom.attestation_id)}>
            <Time at={sbom.recorded_at} />
          </Link>
        ),
    },
  ];
}

function Environments({ org, of: found }: { readonly org: string; readonly of: Found }) {
  const { environments, has_more_environments, fingerprint } = found;
  const isCut = has_more_environments || environments.length > ENVIRONMENTS_SHOWN;
  return (
    <ul>
      {environments.slice(0, ENVIRONMENTS_SHOWN).map(({ environment_name, since }) => (
        <li key={environment_name}>
          <Link href={paths.environment(org, environment_name)}>{environment_name}</Link>{' '}
          <span className="text-[13px] text-quiet">
            since <Time at={since} />
          </span>
        </li>
      ))}
      {isCut && (
        <li>
          <Link href={paths.trace(org, fingerprint)}>All environments</Link>
        </li>
      )}
    </ul>
  );
}

function Versions({ of: { components, component_count } }: { readonly of: Found }) {
  return (
    <ul>
      {components.map(({ name, version, purl, license }) => (
        <li key={`${name} ${version} ${purl} ${license}`} title={purl ?? `${name}, without package URL`}>
          {version || 'Not specified'}
        </li>
      ))}
      {component_count > components.length && (
        <li className="text-quiet">{`and ${component_count - components.length} more`}</li>
      )}
    </ul>
  );
}
