import { type Artifact, assertArtifact } from '@waymark/contract';
import { useNow } from '../../lib/now.ts';
import { paths } from '../../lib/paths.ts';
import { usePreferences } from '../../lib/preferences.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { absolute, duration } from '../../lib/time.ts';
import { BarsOfRuns } from '../../pictures/BarsOfRuns.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StateBadge, stateOf } from '../../ui/StateBadge.tsx';
import { Empty } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { environmentsOf, type Run, runsOf } from './artifact-runs.ts';

const LANES_MAX = 12;
const JUDGED_MAX = 10;

/** Where it runs and ran: bars over time, and the same as a table. */
export function ArtifactRuns({ artifact }: { readonly artifact: Artifact }) {
  const now = useNow();
  const { zone } = usePreferences();
  const runs = runsOf(artifact);
  const environments = environmentsOf(runs);
  const running = environmentsOf(runs.filter(({ isRunning }) => isRunning));
  const lanes = environments.slice(0, LANES_MAX);
  const bars = runs
    .filter(({ environment }) => lanes.includes(environment))
    .map((run) => ({
      lane: run.environment,
      from: run.from,
      until: run.until,
      isRunning: run.isRunning,
      says: `${run.environment}: ${wordOf(run)} ${run.from === null ? '' : absolute(run.from, zone)}`,
    }));
  return (
    <Panel
      flush
      title="Runs by environment"
      note={runs.length > 0 && `running in ${running.length} of the ${environments.length} environments it has run in`}
    >
      {bars.length > 0 && (
        <div className="border-b border-line px-4 py-3">
          <BarsOfRuns
            label={`${bars.length} runs of ${artifact.filename} in ${lanes.length} environments; the table below has the times.`}
            bars={bars}
            now={now}
          />
        </div>
      )}
      <DataTable
        caption={`Runs of ${artifact.filename} by environment`}
        columns={columnsOf(artifact, runs, now)}
        rows={runs}
        rowKey={({ environment, from, until, exitedIn }) => `${environment} ${from} ${until} ${exitedIn}`}
        empty={
          <Empty title="No runs yet" command={`waymark why ${artifact.fingerprint.slice(0, 12)} --env production`}>
            Check before a deployment whether the policies of an environment allow it:
          </Empty>
        }
      />
    </Panel>
  );
}

function columnsOf(artifact: Artifact, runs: readonly Run[], now: number): readonly Column<Run>[] {
  const judged = new Set(runs.filter(({ isRunning }) => isRunning).slice(0, JUDGED_MAX));
  return [
    { key: 'environment', title: 'Environment', cell: ({ environment }) => <EnvironmentLink name={environment} /> },
    { key: 'state', title: 'State', cell: (run) => wordOf(run) },
    {
      key: 'verdict',
      title: 'Verdict',
      cell: (run) => <Verdict artifact={artifact} environment={run.environment} isAsked={judged.has(run)} />,
    },
    { key: 'from', title: 'From', cell: (run) => <Moment run={run} at={run.from} snapshot={run.startedIn} /> },
    { key: 'until', title: 'Until', cell: (run) => <Moment run={run} at={run.until} snapshot={run.exitedIn} /> },
    {
      key: 'for',
      title: 'Duration',
      align: 'right',
      cell: ({ from, until, isRunning }) =>
        from === null || (until === null && !isRunning) ? '–' : duration((until ?? now) - from),
    },
  ];
}

function wordOf({ isRunning, until, exitedIn }: Run): string {
  if (isRunning) return 'running';
  return until === null && exitedIn === null ? 'no longer reported' : 'exited';
}

function EnvironmentLink({ name }: { readonly name: string }) {
  return (
    <Link href={paths.environment(useOrg(), name)} className="font-medium">
      {name}
    </Link>
  );
}

function Moment({
  run,
  at,
  snapshot,
}: {
  readonly run: Run;
  readonly at: number | null;
  readonly snapshot: number | null;
}) {
  const org = useOrg();
  if (at === null && snapshot === null) return <span className="text-quiet">–</span>;
  return (
    <span>
      {at !== null && <Time at={at} as="short" />}{' '}
      {snapshot !== null && (
        <Link href={paths.snapshot(org, run.environment, snapshot)} className="text-quiet">
          #{snapshot}
        </Link>
      )}
    </span>
  );
}

function Verdict({
  artifact: { fingerprint, flow_name },
  environment,
  isAsked,
}: {
  readonly artifact: Artifact;
  readonly environment: string;
  readonly isAsked: boolean;
}) {
  const org = useOrg();
  const { data } = useRead(
    assertArtifact,
    { params: { org, fingerprint }, query: { environment_name: environment } },
    { enabled: isAsked, fresh: true },
  );
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      {data && <StateBadge state={stateOf(data.compliance)} />}
      <Link href={paths.artifactWhy(org, flow_name, fingerprint, environment)}>Why?</Link>
    </span>
  );
}
