import { type Deployment, getDeploymentFrequency } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { duration } from '../../lib/time.ts';
import { BarsTwin } from '../../pictures/BarsTwin.tsx';
import { LeadTimes } from '../../pictures/LeadTimes.tsx';
import { quantile } from '../../pictures/lead-times.ts';
import { Panel } from '../../ui/Panel.tsx';
import { Empty, Loading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { keyOf } from './DeploymentTable.tsx';
import type { Window } from './window.ts';

interface PlotProps {
  readonly env: string | undefined;
  readonly window: Window;
  /** The newest in the window; there may be more. */
  readonly page:
    | { readonly data: readonly Deployment[]; readonly pagination: { readonly next: string | null } }
    | undefined;
}

/** Of an environment the server counts over the whole window; else what is listed counts. */
export function LeadTimePlot({ env, window, page }: PlotProps) {
  const org = useOrg();
  const frequency = useRead(
    getDeploymentFrequency,
    { params: { org, env_name: env ?? '' }, query: window },
    { enabled: env !== undefined, fresh: true },
  );
  const deployments = page?.data;
  if (!deployments)
    return (
      <Panel title="Lead times">
        <Loading />
      </Panel>
    );
  const dots = deployments.flatMap((deployment) =>
    deployment.lead_time_seconds === null
      ? []
      : [
          {
            key: keyOf(deployment),
            at: deployment.started_at,
            seconds: deployment.lead_time_seconds,
            what: `${deployment.artifact_name} in ${deployment.environment}`,
          },
        ],
  );
  const seconds = dots.map((dot) => dot.seconds);
  const whole = env === undefined ? undefined : frequency.data?.lead_time_seconds;
  const median = whole ? whole.median : quantile(seconds, 0.5);
  const p90 = whole ? whole.p90 : quantile(seconds, 0.9);
  return (
    <Panel title="Lead times" note={noteOf(dots.length, deployments.length)}>
      {dots.length === 0 ? (
        <Empty title="No lead time is known">
          It needs the time of the commit, which the command line sends when it runs in the repository.
        </Empty>
      ) : (
        <>
          <LeadTimes dots={dots} from={startOf(window, page)} to={window.to - 1} median={median} p90={p90} />
          <p className="mt-2 text-[13px] text-quiet">
            Median {median === null ? 'not known' : duration(median)}, p90 {p90 === null ? 'not known' : duration(p90)},{' '}
            {whole ? `of all deployments to ${env} in these days.` : 'of these deployments.'}
          </p>
          <BarsTwin
            caption="Lead times, newest deployment first"
            heads={['Started', 'What', 'Lead time']}
            rows={dots.map(({ key, at, what, seconds: lead }) => ({
              key,
              cells: [<Time key="at" at={at} as="short" />, what, duration(lead)],
            }))}
          />
        </>
      )}
    </Panel>
  );
}

/** Where no dot can be, there is no plot either. */
function startOf({ from }: Window, page: PlotProps['page']): number {
  const oldest = page?.data.at(-1)?.started_at;
  return page?.pagination.next && oldest !== undefined ? oldest : from;
}

function noteOf(known: number, all: number): string {
  const newest = `of the newest ${all} deployments in these days`;
  return known === all ? newest : `${newest}, ${all - known} of them from commits whose time is not known`;
}
