import { type Environment, type Flow, listComplianceDays, listEnvironments, listFlows } from '@waymark/contract';
import { lazy, Suspense } from 'react';
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
import { isSample, SAMPLE } from './sample/sample-names.ts';
import { useNeeds } from './use-needs.ts';

// Only a new org needs them, and they write with operations that Home does not need.
const AddSample = lazy(async () => ({ default: (await import('./sample/SampleData.tsx')).AddSample }));
const SamplePanel = lazy(async () => ({ default: (await import('./sample/SampleData.tsx')).SamplePanel }));

/**
 * What the org has already: the environments that changed last show whether anything was reported or judged. Sample data
 * counts for the panels and not for the first steps.
 */
function useHas(org: string) {
  const flows = useRead(listFlows, { params: { org }, query: { page: 1, per_page: 2 } });
  const environments = useRead(listEnvironments, {
    params: { org },
    query: { page: 1, per_page: ROWS, sort: 'last_changed_at' },
  });
  // Sample data is found by name, however many flows there are.
  const samples = useRead(listFlows, {
    params: { org },
    query: { search_by_name: SAMPLE.flow, page: 1, per_page: ROWS },
  });
  const sampleList = samples.data && (Array.isArray(samples.data) ? samples.data : samples.data.data);
  const flowList = flows.data && (Array.isArray(flows.data) ? flows.data : flows.data.data);
  const found =
    environments.data && (Array.isArray(environments.data) ? environments.data : environments.data.environments);
  const own = flowList && found && hasOf(flowList.filter(isOwn), found.filter(isOwn));
  const all = flowList && found && hasOf(flowList, found);
  // An event that comes during a refetch may be too late for it, so a new one replaces it.
  const refetch = () => {
    void flows.refetch();
    void samples.refetch();
    void environments.refetch();
  };
  const loadedAt = Math.max(flows.dataUpdatedAt, environments.dataUpdatedAt);
  const has = own && all && sampleList && { own, all, sample: sampleList.some(isSample) };
  return { has, error: flows.error ?? environments.error ?? samples.error, loadedAt, refetch };
}

const isOwn = (one: { readonly description: string }) => !isSample(one);

function hasOf(flows: readonly Flow[], environments: readonly Environment[]): Has {
  return {
    flow: flows.length > 0,
    flowName: flows[0]?.name,
    environment: environments.length > 0,
    environmentName: environments[0]?.name,
    environmentType: environments[0]?.type,
    snapshot: environments.some(({ last_changed_at }) => last_changed_at !== null),
    policy: environments.some(({ policies }) => policies.length > 0),
  };
}

export function HomePage() {
  const org = useOrg();
  const { has, error, loadedAt, refetch } = useHas(org);
  return (
    <>
      <PageHead title="Home" note={`Items that need attention, 30-day compliance, and recent changes in ${org}.`} />
      {error && !has ? (
        <Failure error={error} retry={refetch} />
      ) : (
        <Parts org={org} has={has} loadedAt={loadedAt} onNews={refetch} />
      )}
    </>
  );
}

interface PartsProps {
  readonly org: string;
  /** Undefined while that is loading. The parts are requested meanwhile. */
  readonly has: { readonly own: Has; readonly all: Has; readonly sample: boolean } | undefined;
  readonly loadedAt: number;
  readonly onNews: () => void;
}

function Parts({ org, has, loadedAt, onNews }: PartsProps) {
  const { own, all, sample } = has ?? {};
  const isNew = own && !(own.flow && own.environment && own.snapshot && own.policy);
  const isEmpty = all && !(all.flow || all.environment);
  return (
    <div className="space-y-4">
      {!has && <Loading />}
      {sample && (
        <Suspense>
          <SamplePanel org={org} />
        </Suspense>
      )}
      {isNew && (
        <FirstSteps org={org} has={own} loadedAt={loadedAt} onNews={onNews}>
          {isEmpty && (
            <Suspense>
              <AddSample org={org} />
            </Suspense>
          )}
        </FirstSteps>
      )}
      {(!all || all.environment) && <WhatNeedsMe org={org} />}
      {(!all || all.snapshot) && <Days org={org} />}
      {(!all || all.flow || all.environment) && <RecentChanges org={org} />}
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
