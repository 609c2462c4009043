import type { Deployment } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { duration } from '../../lib/time.ts';
import { Digits } from '../../ui/Copy.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { Time } from '../../ui/Time.tsx';

export function DeploymentTable({
  rows,
  empty,
}: {
  readonly rows: readonly Deployment[];
  readonly empty: React.ReactNode;
}) {
  const org = useOrg();
  return (
    <DataTable caption="Deployments, newest first" columns={columnsOf(org)} rows={rows} rowKey={keyOf} empty={empty} />
  );
}

export function keyOf({ environment, number, fingerprint, artifact_name }: Deployment): string {
  return `${environment} ${number} ${fingerprint} ${artifact_name}`;
}

function columnsOf(org: string): readonly Column<Deployment>[] {
  return [
    {
      key: 'artifact',
      title: 'Artifact',
      wide: true,
      cell: (deployment) => <What org={org} deployment={deployment} />,
    },
    {
      key: 'environment',
      title: 'Environment',
      cell: ({ environment, number }) => (
        <span className="whitespace-nowrap">
          <Link href={paths.environment(org, environment)}>{environment}</Link>{' '}
          <Link href={paths.snapshot(org, environment, number)} className="text-quiet">
            #{number}
          </Link>
        </span>
      ),
    },
    { key: 'started', title: 'Started', cell: ({ started_at }) => <Time at={started_at} as="short" /> },
    {
      key: 'exited',
      title: 'Until',
      cell: ({ exited_at, running }) =>
        exited_at === null ? running ? 'running' : 'no longer reported' : <Time at={exited_at} as="short" />,
    },
    {
      key: 'lead',
      title: 'Lead time',
      align: 'right',
      cell: ({ lead_time_seconds }) =>
        lead_time_seconds === null ? (
          <span className="text-quiet" title="The commit time is unknown">
            unknown
          </span>
        ) : (
          <span className="whitespace-nowrap">{duration(lead_time_seconds)}</span>
        ),
    },
    {
      key: 'commit',
      title: 'Commit',
      secondary: true,
      cell: ({ git_commit }) => <Digits text={/^[0-9a-f]{40}$/.test(git_commit) ? git_commit : ''} what="commit" />,
    },
  ];
}

function What({ org, deployment }: { readonly org: string; readonly deployment: Deployment }) {
  const { artifact_name, fingerprint, flow_name, trail_name, replaced } = deployment;
  const href = flow_name === '' ? paths.anyArtifact(org, fingerprint) : paths.artifact(org, flow_name, fingerprint);
  return (
    <>
      {fingerprint === '' ? (
        artifact_name
      ) : (
        <Link href={href} className="font-medium">
          {artifact_name}
        </Link>
      )}
      <span className="block text-[12.5px] text-quiet">
        {flow_name === '' ? (
          'no provenance'
        ) : (
          <Link href={paths.trail(org, flow_name, trail_name)} className="text-quiet">
            {flow_name} / {trail_name}
          </Link>
        )}
        {replaced && <> · replaced {replaced.artifact_name}</>}
      </span>
    </>
  );
}
