import {
  reportAzureApps,
  reportCloudRun,
  reportCloudxApps,
  reportDocker,
  reportEcs,
  reportK8s,
  reportLambda,
  reportS3,
  reportServer,
} from '@waymark/contract';
import type { RunningArtifact } from './source-contracts.ts';

interface Report {
  readonly contract: typeof reportServer;
  readonly instancesOf: (artifact: RunningArtifact) => readonly object[];
}

/** Reports of all types are alike but for their instances, which are checked by the target. */
const report = (contract: object, instancesOf: Report['instancesOf']): Report => ({
  contract: contract as typeof reportServer,
  instancesOf,
});

const reports: Readonly<Record<string, Report>> = {
  K8S: report(reportK8s, podsOf),
  ECS: report(reportEcs, (artifact) => {
    const task = artifact.container_task_context ?? artifact.ecs_context;
    const { task_arn, cluster_name, service_name } = task ?? {};
    // A snapshot names one task of an artifact, so its instances become one.
    return instancesOf(artifact, { taskArn: task_arn || artifact.name, cluster_name, service_name });
  }),
  S3: report(reportS3, (artifact) => instancesOf(artifact)),
  lambda: report(reportLambda, (artifact) => instancesOf(artifact)),
  server: report(reportServer, (artifact) => instancesOf(artifact)),
  docker: report(reportDocker, (artifact) => instancesOf(artifact)),
  'cloudx-apps': report(reportCloudxApps, appsOf),
  'azure-apps': report(reportAzureApps, appsOf),
  'cloud-run': report(reportCloudRun, (artifact) => {
    const { kind, service_name, revision_name, job_name } =
      artifact.serverless_run_context ?? artifact.cloud_run_context ?? {};
    const names = { serviceName: service_name, revisionName: revision_name, jobName: job_name };
    return instancesOf(artifact, { ...(kind && { kind }), ...names });
  }),
};

/** Returns the report that makes this snapshot, or undefined for a type that the target does not have. */
export function snapshotReport(type: string, artifacts: readonly RunningArtifact[]) {
  const found = reports[type];
  if (!found) return undefined;
  return { contract: found.contract, body: { artifacts: running(artifacts).flatMap(found.instancesOf) } };
}

/** A snapshot also lists what exited in it. */
export function running(artifacts: readonly RunningArtifact[]): RunningArtifact[] {
  return artifacts.filter(({ annotation }) => annotation?.now !== 0);
}

function instancesOf({ name, fingerprint, creationTimestamp }: RunningArtifact, more: object = {}): object[] {
  const times = creationTimestamp && creationTimestamp.length > 0 ? creationTimestamp : [0];
  return times.map((time) => ({ ...more, digests: { [name]: fingerprint }, creationTimestamp: Math.floor(time) }));
}

function podsOf(artifact: RunningArtifact): object[] {
  const pods = Object.entries(artifact.pods ?? {});
  if (pods.length === 0) return instancesOf(artifact, { podName: artifact.name });
  return pods.map(([podName, { namespace, creationTimestamp, owners }]) => ({
    podName,
    namespace,
    owners,
    digests: { [artifact.name]: artifact.fingerprint },
    creationTimestamp: Math.floor(creationTimestamp ?? 0),
  }));
}

function appsOf(artifact: RunningArtifact): object[] {
  const { app_name, app_kind, digests_source } = artifact.app_context ?? {};
  return instancesOf(artifact, {
    app_name: app_name || artifact.name,
    app_kind: app_kind ?? '',
    digests_source: digests_source ?? '',
  });
}
