import type { Simulation } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { BackTestLegend, BackTestStrip } from '../../pictures/BackTestStrip.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Failure } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { FlipList } from './FlipList.tsx';
import { countFlips, flipsInWords, snapshotsInWords } from './flip-words.ts';
import type { Progress } from './run-back-test.ts';
import type { BackTest } from './use-back-test.ts';

/** The result of a back-test, or its progress. */
export function BackTestResult({
  org,
  text,
  test: { run },
}: {
  readonly org: string;
  readonly text: string;
  readonly test: BackTest;
}) {
  if (!run) return null;
  return (
    <div className="space-y-4">
      <div aria-live="polite">
        {run.isRunning && <ProgressWords progress={run.progress} />}
        {run.error && <Failure error={run.error} />}
        {run.result && run.text !== text && (
          <Notice kind="unsure">The policy has changed since this back-test. Run it again.</Notice>
        )}
      </div>
      {run.result && <Result org={org} simulation={run.result} />}
    </div>
  );
}

function ProgressWords({ progress }: { readonly progress: Progress | undefined }) {
  if (!progress) return <Notice kind="info">Starting …</Notice>;
  const { environment, done, of } = progress;
  return (
    <Notice kind="info">
      <p>
        {environment}: {done.toLocaleString('en')} of {of.toLocaleString('en')} snapshots
      </p>
      <progress
        aria-label={`Snapshots of ${environment}`}
        max={of}
        value={done}
        className="mt-1 h-2 w-full accent-accent"
      />
    </Notice>
  );
}

/** Limits the strips, as each of them takes requests. */
const STRIPS = 6;

function Result({ org, simulation }: { readonly org: string; readonly simulation: Simulation }) {
  const { flips, environments, span, truncated, stopped_at: stoppedAt, evaluated } = simulation;
  const flipsOf = Map.groupBy(flips, ({ environment }) => environment);
  const changed = environments.filter(({ environment }) => flipsOf.has(environment));
  return (
    <>
      <Panel
        title={flipsInWords(countFlips(flips))}
        note={
          <>
            <Time at={span.from} as="short" /> to <Time at={span.to} as="short" />
          </>
        }
      >
        <p>{snapshotsInWords(environments)}</p>
        <p className="text-[13px] text-quiet">{evaluated.toLocaleString('en')} verdicts were compared</p>
        {truncated && (
          <div className="mt-3">
            <Notice kind="unsure" title="Incomplete result">
              The back-test reached its limit before snapshot #{stoppedAt?.snapshot_index} of {stoppedAt?.environment}.
              Choose fewer environments or a shorter period.
            </Notice>
          </div>
        )}
        {changed.length > 0 && (
          <div className="mt-4 space-y-4">
            {changed.slice(0, STRIPS).map(({ environment }) => (
              <BackTestStrip
                key={environment}
                org={org}
                environment={environment}
                flips={flipsOf.get(environment) ?? []}
                span={span}
                stoppedAt={stoppedAt}
              />
            ))}
            <BackTestLegend />
            {changed.length > STRIPS && (
              <p className="text-[13px] text-quiet">
                {changed.length - STRIPS} more environments would change; they are in the table.
              </p>
            )}
          </div>
        )}
      </Panel>
      <Panel title="By environment" flush>
        <DataTable
          caption="Failing snapshots by environment"
          columns={columnsOf(org)}
          rows={environments}
          rowKey={({ environment }) => environment}
        />
      </Panel>
      {flips.length > 0 && <FlipList key={span.to} org={org} flips={flips} />}
    </>
  );
}

function columnsOf(org: string): readonly Column<Simulation['environments'][number]>[] {
  return [
    {
      key: 'environment',
      title: 'Environment',
      wide: true,
      cell: ({ environment }) => <Link href={paths.environment(org, environment)}>{environment}</Link>,
    },
    { key: 'snapshots', title: 'Snapshots', align: 'right', cell: ({ snapshots }) => snapshots.toLocaleString('en') },
    {
      key: 'before',
      title: 'Failing as recorded',
      align: 'right',
      cell: ({ fails_now }) => fails_now.toLocaleString('en'),
    },
    { key: 'after', title: 'Would fail', align: 'right', cell: ({ would_fail }) => would_fail.toLocaleString('en') },
  ];
}
