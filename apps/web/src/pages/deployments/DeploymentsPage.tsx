import { lazyRouteComponent } from '@tanstack/react-router';
import { exportDeployments, listDeployments, listEnvironmentDeployments } from '@waymark/contract';
import { Suspense } from 'react';
import { z } from 'zod';
import { useNow } from '../../lib/now.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { classes } from '../../ui/classes.ts';
import { ExportButtons } from '../../ui/ExportButtons.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { CursorPager } from '../../ui/Pager.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded, Loading } from '../../ui/States.tsx';
import { Definitions } from './Definitions.tsx';
import { DeploymentFilters } from './DeploymentFilters.tsx';
import { DeploymentTable } from './DeploymentTable.tsx';
import { type Window, windowOf } from './window.ts';

const Frequency = lazyRouteComponent(() => import('./Frequency.tsx'), 'Frequency');
const LeadTimePlot = lazyRouteComponent(() => import('./LeadTimePlot.tsx'), 'LeadTimePlot');

const Search = z.object({
  env: z.string().optional(),
  flow: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  after: z.string().optional(),
});

const PER_PAGE = 50;
const DOTS = 100;
const DAYS = 30;
const TICK = 3_600;

export function DeploymentsPage() {
  const org = useOrg();
  const [search, change] = useSearchState(Search);
  const { env, flow, after } = search;
  // To the hour, so that the query stays the same as time passes.
  const hour = Math.floor(useNow() / TICK) * TICK;
  const window = windowOf(search.from, search.to, hour, DAYS);
  const answer = useDeployments({ env, flow }, { ...window, per_page: PER_PAGE, after });
  const newest = useDeployments({ env, flow }, { ...window, per_page: DOTS });
  return (
    <>
      <PageHead title="Deployments" note="Deployments by environment, with lead times from the commit." />
      <NewNotice kinds={['environment']} loadedAt={answer.dataUpdatedAt} onShow={() => void answer.refetch()} />
      <DeploymentFilters
        env={env}
        flow={flow}
        window={window}
        onChange={(changes) => change({ ...changes, after: undefined })}
      />
      <div className="space-y-4">
        <div className={classes('grid gap-4', env !== undefined && 'xl:grid-cols-2')}>
          <Suspense fallback={<Loading />}>
            <LeadTimePlot env={env} window={window} newest={newest} />
            {env !== undefined && <Frequency env={env} window={window} />}
          </Suspense>
        </div>
        <Panel
          flush
          title="Deployments"
          note="Newest first"
          actions={
            <ExportButtons
              of={exportDeployments}
              input={{ params: { org }, query: { ...window, env_name: env, flow_name: flow } }}
              name={`deployments-${org}`}
            />
          }
        >
          <Loaded of={answer}>
            {({ data, pagination }) => (
              <>
                {data.length === 0 && pagination.next !== null ? (
                  <Notice kind="info">None on this page. Go to the next page.</Notice>
                ) : (
                  <DeploymentTable
                    rows={data}
                    empty={<NoDeployment org={org} env={env} isFiltered={Boolean(flow || search.from || search.to)} />}
                  />
                )}
                <CursorPager after={after} next={pagination.next} onMove={(next) => change({ after: next })} />
              </>
            )}
          </Loaded>
        </Panel>
        <Definitions />
      </div>
    </>
  );
}

interface Question extends Window {
  readonly per_page: number;
  readonly after?: string | undefined;
}

/** The server has one list for the org and one for each environment. */
function useDeployments({ env, flow }: { env: string | undefined; flow: string | undefined }, query: Question) {
  const org = useOrg();
  const ofOrg = useRead(
    listDeployments,
    { params: { org }, query: { ...query, flow_name: flow } },
    { enabled: env === undefined },
  );
  const ofEnvironment = useRead(
    listEnvironmentDeployments,
    { params: { org, env_name: env ?? '' }, query },
    { enabled: env !== undefined },
  );
  return env === undefined ? ofOrg : ofEnvironment;
}

function NoDeployment({
  org,
  env,
  isFiltered,
}: {
  readonly org: string;
  readonly env: string | undefined;
  readonly isFiltered: boolean;
}) {
  if (isFiltered)
    return <Empty title="No deployments match these filters">Choose a longer period or another flow.</Empty>;
  return (
    <Empty
      title={`No deployments in the last ${DAYS} days`}
      command={`waymark snapshot k8s ${env ?? 'production'} --org ${org}`}
    >
      Waymark records a deployment when a report contains a new artifact. Choose a longer period, or report what runs:
    </Empty>
  );
}
