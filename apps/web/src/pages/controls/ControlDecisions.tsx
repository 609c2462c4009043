import { type Control, type ControlDecision, FlowName, listControlDecisions } from '@waymark/contract';
import { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useSearchState } from '../../lib/route.ts';
import { Digits } from '../../ui/Copy.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Select } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StateBadge, stateOf } from '../../ui/StateBadge.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { ErasedTag } from '../attestations/ErasedTag.tsx';
import { useErased } from '../attestations/use-erased.ts';
import { FlowFilter } from './FlowFilter.tsx';

const Search = z.object({
  flow: FlowName.optional(),
  verdict: z.enum(['true', 'false']).optional(),
  direction: z.enum(['asc', 'desc']).default('desc'),
  page: z.coerce.number().int().min(1).default(1),
});
const PER_PAGE = 25;

export function ControlDecisions({ org, control }: { readonly org: string; readonly control: Control }) {
  const [search, change] = useSearchState(Search);
  const erased = useErased(org);
  const decisions = useRead(listControlDecisions, {
    params: { org, identifier: control.identifier },
    query: {
      page: search.page,
      per_page: PER_PAGE,
      flow_name: search.flow,
      is_compliant: search.verdict,
      sort_direction: search.direction,
    },
  });
  return (
    <>
      <NewNotice kinds={['trail']} loadedAt={decisions.dataUpdatedAt} onShow={() => void decisions.refetch()} />
      <div className="mb-3 flex flex-wrap gap-2 no-print">
        <FlowFilter org={org} value={search.flow} onChange={(flow) => change({ flow, page: undefined })} />
        <Select
          label="Verdict"
          hideLabel
          className="w-48"
          value={search.verdict ?? ''}
          onChange={(id) => change({ verdict: (id || undefined) as typeof search.verdict, page: undefined })}
          choices={[
            { id: '', label: 'All verdicts' },
            { id: 'true', label: 'Compliant' },
            { id: 'false', label: 'Non-compliant' },
          ]}
        />
      </div>
      <Panel title="Decisions" flush>
        <Loaded of={decisions}>
          {({ decisions: rows, total_count, total_pages }) => (
            <>
              <DataTable
                caption={`Decisions on ${control.identifier}`}
                columns={columnsOf(org, erased)}
                rows={rows}
                rowKey={({ attestation_id }) => attestation_id}
                sort={{ by: 'created_at', direction: search.direction }}
                onSort={({ direction }) => change({ direction, page: undefined })}
                empty={<NoDecisions org={org} control={control} filtered={Boolean(search.flow || search.verdict)} />}
              />
              <Pager
                page={search.page}
                pages={total_pages}
                total={total_count}
                what={total_count === 1 ? 'decision' : 'decisions'}
                onPage={(page) => change({ page })}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  );
}

function columnsOf(org: string, erased: ReturnType<typeof useErased>): readonly Column<ControlDecision>[] {
  return [
    {
      key: 'verdict',
      title: 'Verdict',
      cell: ({ is_compliant, unreadable }) =>
        unreadable ? <StateBadge state="unknown" word="Unreadable" /> : <StateBadge state={stateOf(is_compliant)} />,
    },
    {
      key: 'decision',
      title: 'Decision',
      wide: true,
      cell: (decision) => (
        <>
          <Link
            href={paths.trail(org, decision.flow_name, decision.trail_name, decision.attestation_id)}
            className="font-medium"
          >
            {decision.attestation_name}
          </Link>{' '}
          <ErasedTag of={erased.get(decision.attestation_id)} />
          {decision.description !== '' && <div className="line-clamp-2 text-quiet">{decision.description}</div>}
          {decision.reasons.map((reason) => (
            <div key={reason} className="text-[13px] text-quiet">
              {reason}
            </div>
          ))}
        </>
      ),
    },
    {
      key: 'trail',
      title: 'Flow and trail',
      cell: ({ flow_name, trail_name }) => (
        <span className="sm:whitespace-nowrap">
          <Link href={paths.flow(org, flow_name)}>{flow_name}</Link>,{' '}
          <Link href={paths.trail(org, flow_name, trail_name)}>{trail_name}</Link>
        </span>
      ),
    },
    {
      key: 'artifact',
      title: 'Artifact',
      secondary: true,
      cell: ({ artifact_fingerprint: fingerprint }) =>
        fingerprint === null ? (
          <span className="text-quiet">whole trail</span>
        ) : (
          <Digits text={fingerprint} what="fingerprint" />
        ),
    },
    {
      key: 'version',
      title: 'Control version',
      align: 'right',
      secondary: true,
      cell: ({ control_version }) => control_version ?? <span className="text-quiet">before version 1</span>,
    },
    { key: 'by', title: 'By', secondary: true, cell: ({ reported_by }) => reported_by },
    { key: 'at', title: 'When', sort: 'created_at', cell: ({ created_at }) => <Time at={created_at} /> },
  ];
}

function NoDecisions({
  org,
  control,
  filtered,
}: {
  readonly org: string;
  readonly control: Control;
  readonly filtered: boolean;
}) {
  if (filtered) return <Empty title="No decisions match these filters">Remove a filter to see more.</Empty>;
  return (
    <Empty
      title="No decisions yet"
      command={`waymark attest decision ${control.identifier} --compliant --reason 'Reviewed' --flow FLOW --trail TRAIL --org ${org}`}
    >
      A control decision says whether the control was satisfied for one trail or artifact. Record it as an attestation:
    </Empty>
  );
}
