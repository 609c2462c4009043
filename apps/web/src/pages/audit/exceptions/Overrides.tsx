import { type Attestation, exportAttestations, listAttestations } from '@waymark/contract';
import { paths } from '../../../lib/paths.ts';
import { useRead } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { ExportButtons } from '../../../ui/ExportButtons.tsx';
import { Link } from '../../../ui/Link.tsx';
import { CursorPager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { StateBadge } from '../../../ui/StateBadge.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';

const PER_PAGE = 25;

interface OverridesProps {
  readonly after: string | undefined;
  readonly onMove: (after: string | undefined) => void;
}

/** Verdicts on evidence that were overridden, with the reason. */
export function Overrides({ after, onMove }: OverridesProps) {
  const org = useOrg();
  const overrides = useRead(listAttestations, {
    params: { org },
    query: { type: 'override', per_page: PER_PAGE, after },
  });
  return (
    <Panel
      flush
      title="Overrides"
      note="Evidence verdicts that a person replaced."
      actions={
        <ExportButtons
          of={exportAttestations}
          input={{ params: { org }, query: { type: 'override' } }}
          name={`overrides-${org}`}
        />
      }
    >
      <Loaded of={overrides}>
        {({ data, pagination }) => (
          <>
            <DataTable
              caption="Overrides, newest first"
              columns={columnsOf(org)}
              rows={data}
              rowKey={({ attestation_id }) => attestation_id}
              empty={
                <Empty title="No overrides yet">
                  An override replaces the verdict on one piece of evidence, with a reason.
                </Empty>
              }
            />
            <CursorPager after={after} next={pagination.next} onMove={onMove} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function columnsOf(org: string): readonly Column<Attestation>[] {
  return [
    {
      key: 'what',
      title: 'Evidence',
      wide: true,
      cell: ({ attestation_id, attestation_name, flow_name, trail_name, override_reason }) => (
        <>
          <Link href={paths.trail(org, flow_name, trail_name, attestation_id)} className="font-medium">
            {attestation_name}
          </Link>
          {override_reason !== null && <div className="text-quiet">{override_reason}</div>}
        </>
      ),
    },
    {
      key: 'now',
      title: 'Treated as',
      cell: ({ is_compliant }) =>
        is_compliant ? <StateBadge state="waived" word="Compliant" /> : <StateBadge state="non-compliant" />,
    },
    {
      key: 'trail',
      title: 'Trail',
      cell: ({ flow_name, trail_name }) => (
        <Link href={paths.trail(org, flow_name, trail_name)} className="sm:whitespace-nowrap">
          {flow_name} / {trail_name}
        </Link>
      ),
    },
    { key: 'by', title: 'By', cell: ({ reported_by }) => reported_by },
    { key: 'when', title: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
  ];
}
