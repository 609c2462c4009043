import type { UseQueryResult } from '@tanstack/react-query';
import type { Deployment, listDeployments } from '@waymark/contract';
import type { z } from 'zod';
import { duration } from '../../lib/time.ts';
import { BarsTwin } from '../../pictures/BarsTwin.tsx';
import { type LeadTimeDot, LeadTimes } from '../../pictures/LeadTimes.tsx';
import { quantile } from '../../pictures/lead-times.ts';
import { Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { keyOf } from './DeploymentTable.tsx';
import { useFrequency } from './use-frequency.ts';
import type { Window } from './window.ts';

type DeploymentPage = z.output<(typeof listDeployments)['reply']>;

interface PlotProps {
  readonly env: string | undefined;
  readonly window: Window;
  /** The newest in the window; there may be more. */
  readonly newest: UseQueryResult<DeploymentPage>;
}

export function LeadTimePlot({ env, window, newest }: PlotProps) {
  return (
    <Panel title="Lead times" note={newest.data && noteOf(newest.data.data)}>
      <Loaded of={newest}>{(page) => <Plot env={env} window={window} page={page} />}</Loaded>
    </Panel>
  );
}

interface ShownProps extends Omit<PlotProps, 'newest'> {
  readonly page: DeploymentPage;
}

/** For an environment the server counts over the whole window; otherwise the listed ones are counted. */
function Plot({ env, window, page }: ShownProps) {
  const { data: frequency, error } = useFrequency(env, window);
  const dots = page.data.flatMap(dotOf);
  if (dots.length === 0)
    return (
      <Empty title="No lead times yet">
        Lead time needs the commit time, which the command line sends when it runs in the repository.
      </Empty>
    );
  const seconds = dots.map((dot) => dot.seconds);
  const { median, p90 } = frequency?.lead_time_seconds ?? {
    median: quantile(seconds, 0.5),
    p90: quantile(seconds, 0.9),
  };
  return (
    <>
      <LeadTimes dots={dots} from={startOf(window, page)} to={window.to - 1} median={median} p90={p90} />
      <p className="mt-2 text-[13px] text-quiet">
        Median {median === null ? 'unknown' : duration(median)}, p90 {p90 === null ? 'unknown' : duration(p90)},{' '}
        {frequency ? `for all deployments to ${env} in this period.` : 'for these deployments.'}
        {/* The reason and the retry button are shown beside it, with the frequency. */}
        {!frequency && error && ` Couldn’t load the figures of all deployments to ${env} in this period.`}
      </p>
      <BarsTwin
        caption="Lead times, newest deployment first"
        heads={['Started', 'Deployment', 'Lead time']}
        rows={dots.map(({ key, at, what, seconds: lead }) => ({
          key,
          cells: [<Time key="at" at={at} as="short" />, what, duration(lead)],
        }))}
      />
    </>
  );
}

function dotOf(deployment: Deployment): readonly LeadTimeDot[] {
  if (deployment.lead_time_seconds === null) return [];
  return [
    {
      key: keyOf(deployment),
      at: deployment.started_at,
      seconds: deployment.lead_time_seconds,
      what: `${deployment.artifact_name} in ${deployment.environment}`,
    },
  ];
}

/** Without dots there is no plot. */
function startOf({ from }: Window, { data, pagination }: DeploymentPage): number {
  const oldest = data.at(-1)?.started_at;
  return pagination.next && oldest !== undefined ? oldest : from;
}

function noteOf(deployments: readonly Deployment[]): string {
  const unknown = deployments.filter(({ lead_time_seconds }) => lead_time_seconds === null).length;
  const newest = `The newest ${deployments.length} deployments in this period`;
  return unknown === 0 ? newest : `${newest}, ${unknown} of them with an unknown commit time`;
}
