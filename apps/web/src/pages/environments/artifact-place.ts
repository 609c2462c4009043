import type { SnapshotArtifact } from '@waymark/contract';

type Placed = Pick<SnapshotArtifact, 'pods' | 'container_task_context' | 'serverless_run_context' | 'app_context'>;

/** Where in the environment it runs, if the kind of environment has that: `namespace shop`. */
export function placeOf({ pods, container_task_context, serverless_run_context, app_context }: Placed): string {
  if (pods) {
    const namespaces = [...new Set(Object.values(pods).map(({ namespace }) => namespace))].filter(Boolean).sort();
    return namespaces.length === 0
      ? ''
      : `${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${listed(namespaces)}`;
  }
  if (container_task_context) {
    const { cluster_name, service_name } = container_task_context;
    return parts(cluster_name && `cluster ${cluster_name}`, service_name && `service ${service_name}`);
  }
  if (serverless_run_context) {
    const { service_name, job_name, revision_name } = serverless_run_context;
    return parts(
      service_name && `service ${service_name}`,
      job_name && `job ${job_name}`,
      revision_name && `revision ${revision_name}`,
    );
  }
  return app_context ? parts(app_context.app_kind, app_context.app_name) : '';
}

const SHOWN = 3;

function listed(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return more > 0 ? `${names.slice(0, SHOWN).join(', ')} and ${more} more` : names.join(', ');
}

function parts(...texts: readonly (string | null | undefined)[]): string {
  return texts.filter(Boolean).join(', ');
}
