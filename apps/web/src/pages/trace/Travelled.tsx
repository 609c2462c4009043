import { type Artifact, assertArtifact, type Environment, getArtifact, listEnvironments } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { duration } from '../../lib/time.ts';
import { BarsTwin } from '../../pictures/BarsTwin.tsx';
import { MetroLine, Ring } from '../../pictures/MetroLine.tsx';
import { STATION_WORDS, type Station, stationsOf, verdictWord } from '../../pictures/metro-line.ts';
import { Digits } from '../../ui/Copy.tsx';
import { Link } from '../../ui/Link.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StaleMark } from '../../ui/StaleMark.tsx';
import { StateBadge, StateIcon, stateOf } from '../../ui/StateBadge.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { runsOf } from '../artifacts/artifact-runs.ts';
import type { FoundArtifact } from './trace-subject.ts';

const ENVIRONMENTS_ASKED = 20;

/** The path of one artifact: from its commit to each environment, and what blocks it. */
export function Travelled({ flow, fingerprint }: FoundArtifact) {
  const org = useOrg();
  const answer = useRead(getArtifact, { params: { org, flow_name: flow, fingerprint } }, { fresh: true });
  const environments = useRead(listEnvironments, {
    params: { org },
    query: { page: 1, per_page: ENVIRONMENTS_ASKED },
  });
  const found = environments.data;
  const known = Array.isArray(found) ? found : (found?.environments ?? []);
  const total = Array.isArray(found) ? found.length : (found?.total_count ?? 0);
  return (
    <Loaded of={answer}>
      {(artifact) => {
        const stations = stationsIn(org, artifact, known);
        return (
          <Panel
            title={artifact.filename}
            note={
              <span className="flex flex-wrap items-center gap-x-3">
                <Link href={paths.artifact(org, flow, artifact.fingerprint)}>
                  <code>{artifact.fingerprint.slice(0, 12)}</code>
                </Link>
                <Link href={paths.trail(org, artifact.flow_name, artifact.trail_name)}>
                  {artifact.flow_name} / {artifact.trail_name}
                </Link>
              </span>
            }
          >
            <MetroLine
              label={`Path of ${artifact.filename}, from its commit to each environment`}
              stations={stations}
              more={(station) => (
                <More
                  station={station}
                  artifact={artifact}
                  environment={known.find(({ name }) => name === station.title)}
                />
              )}
              ring={(station) =>
                isEnvironment(station) ? (
                  <VerdictRing station={station} artifact={artifact} />
                ) : (
                  <Ring kind={station.kind} />
                )
              }
            />
            {total > ENVIRONMENTS_ASKED && (
              <p className="mt-2 text-[13px] text-quiet">
                Only the first {ENVIRONMENTS_ASKED} of {total.toLocaleString('en')} environments by name are checked;
                those where it runs or ran are always shown.
              </p>
            )}
            <TableTwin artifact={artifact} stations={stations} />
          </Panel>
        );
      }}
    </Loaded>
  );
}

function stationsIn(
  org: string,
  artifact: Artifact,
  environments: readonly { readonly name: string; readonly type: string }[],
): Station[] {
  const runs = runsOf(artifact);
  const been = new Set(runs.map(({ environment }) => environment));
  const notYet = environments.filter(({ name, type }) => type !== 'logical' && !been.has(name)).map(({ name }) => name);
  const committedAt = artifact.git_commit_info?.timestamp ?? null;
  return stationsOf({ committedAt, builtAt: artifact.created_at, places: runs, notYet }).map((station) =>
    isEnvironment(station) ? { ...station, href: paths.environment(org, station.title) } : station,
  );
}

function isEnvironment({ kind }: Station): boolean {
  return kind !== 'commit' && kind !== 'built';
}

interface MoreProps {
  readonly station: Station;
  readonly artifact: Artifact;
  readonly environment: Environment | undefined;
}

function More({ station, artifact, environment }: MoreProps) {
  if (station.kind === 'commit') {
    const [subject] = (artifact.git_commit_info?.message ?? '').split('\n');
    return (
      <div className="text-[13px]">
        {/^[0-9a-f]{40}$/.test(artifact.git_commit) && <Digits text={artifact.git_commit} what="commit" />}
        <span className="line-clamp-2 text-quiet">{subject}</span>
      </div>
    );
  }
  if (station.kind === 'built') return <p className="text-[13px] text-quiet">in flow {artifact.flow_name}</p>;
  const isThere = station.kind === 'running';
  return (
    <>
      <Verdict artifact={artifact} environment={station.title} isThere={isThere} />
      {isThere && environment?.stale && <StaleMark since={environment.stale_since} />}
    </>
  );
}

function useVerdict({ fingerprint }: Artifact, environment: string) {
  const org = useOrg();
  return useRead(
    assertArtifact,
    { params: { org, fingerprint }, query: { environment_name: environment } },
    { fresh: true, staleTime: 60_000 },
  );
}

function VerdictRing({ station, artifact }: { readonly station: Station; readonly artifact: Artifact }) {
  const { data } = useVerdict(artifact, station.title);
  return <Ring kind={station.kind} state={data && stateOf(data.compliance)} />;
}

interface VerdictProps {
  readonly artifact: Artifact;
  readonly environment: string;
  readonly isThere: boolean;
}

/** Whether it may run there; where it does not run yet, that is what blocks it. */
function Verdict({ artifact, environment, isThere }: VerdictProps) {
  const org = useOrg();
  const { data, error } = useVerdict(artifact, environment);
  if (error) return <p className="text-[12.5px] text-quiet">Couldn’t load the verdict.</p>;
  if (!data) return null;
  const state = stateOf(data.compliance);
  const why = <Link href={paths.artifactWhy(org, artifact.flow_name, artifact.fingerprint, environment)}>Why?</Link>;
  return (
    <div className="mt-1 space-y-1 text-[13px]">
      <p className="flex flex-wrap items-center gap-x-2">
        {isThere ? (
          <StateBadge state={state} />
        ) : (
          <span className="inline-flex items-center gap-1">
            <StateIcon state={state} size={14} />
            {verdictWord(state)}
          </span>
        )}
        {why}
      </p>
      {!isThere && state === 'non-compliant' && <p className="line-clamp-4 text-quiet">{data.because}</p>}
    </div>
  );
}

/** The same stops with the same numbers. */
function TableTwin({ artifact, stations }: { readonly artifact: Artifact; readonly stations: readonly Station[] }) {
  return (
    <BarsTwin
      caption={`Path of ${artifact.filename}`}
      heads={['Stop', 'State', 'When', 'After the previous stop', 'Verdict']}
      rows={stations.map((station) => ({
        key: station.key,
        cells: [
          station.title,
          STATION_WORDS[station.kind],
          <Time key="at" at={station.at} as="exact" />,
          station.after === null ? '–' : duration(station.after),
          isEnvironment(station) ? <Because key="why" artifact={artifact} environment={station.title} /> : '–',
        ],
      }))}
    />
  );
}

function Because({ artifact, environment }: Omit<VerdictProps, 'isThere'>) {
  const { data } = useVerdict(artifact, environment);
  if (!data) return <span className="text-quiet">–</span>;
  return (
    <>
      {verdictWord(stateOf(data.compliance))}. <span className="text-quiet">{data.because}</span>
    </>
  );
}
