import { exportFlowTrails, type Flow, listFlowTrails } from '@waymark/contract';
import { client } from '../../lib/client.ts';
import { paths } from '../../lib/paths.ts';
import { useOrg, useParam, useSearchState } from '../../lib/route.ts';
import { ExportButtons } from '../../ui/ExportButtons.tsx';
import { Link, OutsideLink } from '../../ui/Link.tsx';
import { Facts, Panel, Tag } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { ConfirmedNotice } from '../trails/ConfirmedNotice.tsx';
import { EvidenceMatrix } from './EvidenceMatrix.tsx';
import { FlowChanges } from './FlowChanges.tsx';
import { FlowHead, useFlow } from './FlowHead.tsx';
import { FlowTrails, useFlowTrails } from './FlowTrails.tsx';
import { TrailFilters } from './TrailFilters.tsx';
import { areDigits, digitsOf, hasFilters, TrailSearch, trailFilter, trailPageOf } from './trail-search.ts';

export function FlowPage() {
  const org = useOrg();
  const name = useParam('flow');
  const flow = useFlow();
  const [search, change] = useSearchState(TrailSearch);
  const digits = digitsOf(search);
  const trails = useFlowTrails({ org, flow: name, search });
  const total = trails.data ? trailPageOf(trails.data).pagination.total : 0;
  const isFiltered = hasFilters(search);
  const countNew = async () => {
    if (isFiltered) return 0;
    const answer = await client.call(listFlowTrails, {
      params: { org, flow_name: name },
      query: { page: 1, per_page: 1 },
    });
    return Array.isArray(answer) ? 0 : Math.max(0, answer.pagination.total - total);
  };
  if (flow.error && !flow.data) return <FlowHead />;
  return (
    <>
      <FlowHead actions={flow.data && <FlowChanges org={org} flow={flow.data} />} />
      <ConfirmedNotice
        kinds={['trail']}
        loadedAt={trails.dataUpdatedAt}
        count={countNew}
        what="new trail"
        onShow={() => void trails.refetch()}
      />
      <div className="space-y-4">
        <EvidenceMatrix org={org} flow={name} />
        <div>
          <TrailFilters search={search} change={change} />
          <Panel
            title="Trails"
            note="Newest first"
            flush
            actions={
              areDigits(digits) && (
                <ExportButtons
                  of={exportFlowTrails}
                  input={{ params: { org, flow_name: name }, query: trailFilter(search) }}
                  name={`trails-${name}`}
                />
              )
            }
          >
            <FlowTrails trails={trails} org={org} flow={name} search={search} onPage={(page) => change({ page })} />
          </Panel>
        </div>
        {flow.data && <About org={org} flow={flow.data} />}
      </div>
    </>
  );
}

function About({ org, flow }: { readonly org: string; readonly flow: Flow }) {
  const tags = Object.entries(flow.tags);
  return (
    <Panel title="Details">
      <Facts
        rows={[
          ['Description', flow.description || <span className="text-quiet">none</span>],
          ['Source', flow.repo_url ? <OutsideLink href={flow.repo_url}>{flow.repo_url}</OutsideLink> : null],
          [
            'Template',
            <Link key="template" href={paths.flowTemplate(org, flow.name)}>
              Required evidence
            </Link>,
          ],
          [
            'Tags',
            tags.length === 0 ? (
              <span className="text-quiet">none</span>
            ) : (
              <span className="flex flex-wrap gap-1">
                {tags.map(([key, value]) => (
                  <Tag key={key}>{value === '' ? key : `${key}: ${value}`}</Tag>
                ))}
              </span>
            ),
          ],
          [
            'Created',
            <span key="created">
              <Time at={flow.created_at} as="exact" /> by {flow.created_by}
            </span>,
          ],
          ['Created by evidence', flow.auto_created ? 'yes: evidence named it before it was created' : null],
        ]}
      />
    </Panel>
  );
}
