import { listComplianceDays, listEnvironments, listFlows } from '@waymark/contract';
import { z } from 'zod';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { HeatMap } from '../../pictures/HeatMap.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Failure, Loaded, Loading } from '../../ui/States.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import type { Has } from './first-steps.ts';
import { NeedsPanel } from './NeedsPanel.tsx';
import { RecentChanges } from './RecentChanges.tsx';
import { useNeeds } from './use-needs.ts';

/** What the org has already: the environments that changed last show whether anything was reported or judged. */
function useHas(org: string) {
  const flows = useRead(listFlows, { params: { org }, query: { page: 1, per_page: 1 } });
  const environments = useRead(listEnvironments, {
    params: { org },
    query: { page: 1, per_page: ROWS, sort: 'last_changed_at' },
  });
  const flowList = flows.data && (Array.isArray(flows.data) ? flows.data : flows.data.data);
  const found =
    environments.data && (Array.isArray(environments.data) ? environments.data : environments.data.environments);
  const has: Has | undefined = flowList &&
    found && {
      flow: flowList.length > 0,
      flowName: flowList[0]?.name,
      environment: found.length > 0,
      environmentName: found[0]?.name,
      snapshot: found.some(({ last_changed_at }) => last_changed_at !== null),
      policy: found.some(({ policies }) => policies.length > 0),
    };
  const refetch = () => {
    void flows.refetch({ cancelRefetch: false });
    void environments.refetch({ cancelRefetch: false });
  };
  const loadedAt = Math.max(flows.dataUpdatedAt, environments.dataUpdatedAt);
  return { has, error: flows.error ?? environments.error, loadedAt, refetch };
}

export function HomePage() {
  const org = useOrg();
  const { has, error, loadedAt, refetch } = useHas(org);
  return (
    <>
      <PageHead title="Home" note={`Items that need attention, 30-day compliance, and recent changes in ${org}.`} />
      {has ? (
        <Parts org={org} has={has} loadedAt={loadedAt} onNews={refetch} />
      ) : error ? (
        <Failure error={error} retry={refetch} />
      ) : (
        <Loading />
      )}
    </>
  );
}

interface PartsProps {
  readonly org: string;
  readonly has: Has;
  readonly loadedAt: number;
  readonly onNews: () => void;
}

function Parts({ org, has, loadedAt, onNews }: PartsProps) {
  const isNew = !(has.flow && has.environment && has.snapshot && has.policy);
  return (
    <div className="space-y-4">
      {isNew && <FirstSteps org={org} has={has} loadedAt={loadedAt} onNews={onNews} />}
      {has.environment && <WhatNeedsMe org={org} />}
      {has.snapshot && <Days org={org} />}
      {(has.flow || has.environment) && <RecentChanges org={org} />}
    </div>
  );
}

function WhatNeedsMe({ org }: { readonly org: string }) {
  const needs = useNeeds(org);
  return (
    <div>
      <NewNotice kinds={['environment']} loadedAt={needs.loadedAt} onShow={needs.refetch} />
      <NeedsPanel org={org} needs={needs} />
    </div>
  );
}

const Search = z.object({ page: z.coerce.number().int().min(1).default(1) });
const ROWS = 20;

function Days({ org }: { readonly org: string }) {
  const [{ page }, change] = useSearchState(Search);
  const days = useRead(listComplianceDays, { params: { org }, query: { days: 30, page, per_page: ROWS } });
  return (
    <Panel
      title="Compliance in the last 30 days"
      note="Share of each day that was compliant. Click a day for its timeline."
      flush
    >
      <Loaded of={days}>
        {(data) => (
          <>
            <div className="px-4 pb-4">
              <HeatMap days={data} org={org} />
            </div>
            {data.total_count > ROWS && (
              <Pager
                page={page}
                pages={Math.ceil(data.total_count / ROWS)}
                total={data.total_count}
                what="environments"
                onPage={(to) => change({ page: to })}
              />
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}
