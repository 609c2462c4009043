import type { FoundFindings } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { Tag } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';

type Found = FoundFindings['data'][number];

interface TableProps {
  readonly rows: readonly Found[];
  /** Whether they are of several scans. */
  readonly hasScan: boolean;
  readonly empty: React.ReactNode;
}

export function FindingsTable({ rows, hasScan, empty }: TableProps) {
  const org = useOrg();
  const columns = columnsOf(org).filter(({ key }) => hasScan || key !== 'scan');
  return (
    <DataTable
      caption="Findings"
      columns={columns}
      rows={rows}
      rowKey={({ attestation_id, finding }) =>
        [attestation_id, finding.id, finding.component, finding.location].join(' ')
      }
      empty={empty}
    />
  );
}

function columnsOf(org: string): readonly Column<Found>[] {
  return [
    { key: 'severity', title: 'Severity', cell: ({ finding }) => <Severity of={finding} /> },
    { key: 'finding', title: 'Finding', wide: true, cell: (found) => <Finding org={org} of={found} /> },
    {
      key: 'component',
      title: 'Component',
      cell: ({ finding: { component, location } }) =>
        component ? (
          <Link href={paths.findings(org, { component })}>
            <code className="[overflow-wrap:anywhere]">{component}</code>
          </Link>
        ) : (
          <code className="[overflow-wrap:anywhere]">{location ?? '–'}</code>
        ),
    },
    { key: 'fixed', title: 'Fixed in', cell: ({ finding }) => finding.fixed_version ?? '–' },
    { key: 'seen', title: 'First seen', cell: ({ finding }) => <Time at={finding.first_seen_at} /> },
    { key: 'vex', title: 'VEX', cell: (found) => <Exclusion org={org} of={found} /> },
    {
      key: 'scan',
      title: 'Scan',
      cell: ({ flow_name, trail_name, attestation_id, attestation_name, attested_at }) => (
        <>
          <Link href={paths.trail(org, flow_name, trail_name, attestation_id)}>{attestation_name}</Link>
          <div className="text-[13px] text-quiet">
            {flow_name}, <Time at={attested_at} />
          </div>
        </>
      ),
    },
  ];
}

const TONES: Readonly<Record<string, string>> = { critical: 'text-bad', high: 'text-bad', medium: 'text-unsure' };

function Severity({ of: { severity, score } }: { readonly of: Found['finding'] }) {
  return (
    <>
      <span className={TONES[severity]}>{severity === 'unknown' ? 'not rated' : severity}</span>
      {score !== null && <div className="text-[13px] text-quiet">{`CVSS ${score}`}</div>}
    </>
  );
}

function Finding({ org, of: { finding } }: { readonly org: string; readonly of: Found }) {
  const { id, aliases, title } = finding;
  return (
    <>
      <Link className="font-medium" href={paths.findings(org, { id })}>
        {id}
      </Link>
      {aliases.length > 0 && <span className="text-[13px] text-quiet">{` ${aliases.join(', ')}`}</span>}
      {title !== null && title !== id && <div className="text-[13px] text-quiet [overflow-wrap:anywhere]">{title}</div>}
    </>
  );
}

/** Whether rules leave it out depends on the trust that they ask for. */
function Exclusion({ org, of: { vex, flow_name, trail_name } }: { readonly org: string; readonly of: Found }) {
  if (vex === null) return '–';
  const { status, justification, by, trust, attestation_id, attestation_name } = vex;
  return (
    <>
      <Tag>{status.replaceAll('_', ' ')}</Tag>
      {justification !== null && <div className="text-[13px] text-quiet">{justification.replaceAll('_', ' ')}</div>}
      <div className="text-[13px] text-quiet">
        <Link href={paths.trail(org, flow_name, trail_name, attestation_id)}>{attestation_name}</Link>
        {by !== null && ` by ${by}`}, {trust.replaceAll('_', ' ')}
      </div>
    </>
  );
}
