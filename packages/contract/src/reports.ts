import { z } from 'zod';
import { contract } from './contract.ts';
import { EnvironmentParams } from './environments.ts';
import { LATEST_SECOND, NO_MILLISECONDS } from './primitives.ts';

export const REPORT_MAX_BYTES = 8 * 1024 * 1024;

/** The most artifacts in one report: ten times what a large environment runs. */
export const REPORT_MAX_ARTIFACTS = 20_000;

/** Neither control characters nor lone surrogates. */
const PLAIN_TEXT = /^[^\p{Cc}\p{Cs}]*$/u;
const TEXT_RULE = 'must be text without control characters';

/**
 * Text in reports. All its rules can be expressed in JSON Schema, so a check compiled from that decides exactly like
 * these shapes.
 */
const optionalText = (max: number) => z.string().max(max).regex(PLAIN_TEXT, TEXT_RULE);
const reportText = (max: number) => optionalText(max).min(1);

const ArtifactName = reportText(500).meta({
  description: 'Name of the running artifact',
  examples: ['registry/app:1'],
});

/** Upper case is accepted, and stored in lower case. */
const Sha256 = z.string().regex(/^[a-fA-F0-9]{64}$/u, 'must be 64 hexadecimal digits');
const Sha256OrEmpty = z.string().regex(/^([a-fA-F0-9]{64})?$/u, 'must be 64 hexadecimal digits, or empty');

/** A name that would reach into the prototype of an object is refused by the JSON reader. */
const Digests = z.record(ArtifactName, Sha256).meta({
  description: 'SHA-256 by name of the running artifact',
  examples: [{ 'registry/app:1': 'a'.repeat(64) }],
});
const DigestsOrEmpty = z.record(ArtifactName, Sha256OrEmpty).meta({
  description: 'SHA-256 by name of the running artifact; empty if unknown',
  examples: [{ 'registry/app:1': 'a'.repeat(64) }],
});

const StartedAt = z
  .number()
  .int()
  .min(0)
  .max(LATEST_SECOND, NO_MILLISECONDS)
  .meta({ description: 'Start, in seconds since 1970', examples: [1_700_000_000] });

const Owner = z.strictObject({
  apiVersion: optionalText(300).nullish(),
  kind: optionalText(300).nullish(),
  name: optionalText(300).nullish(),
  uid: optionalText(300).nullish(),
  controller: z.boolean().nullish(),
  blockOwnerDeletion: z.boolean().nullish(),
});

function reportOf<const Type extends string, Item extends z.ZodType>(id: string, type: Type, item: Item) {
  return z
    .strictObject({
      type: z.literal(type).nullish().meta({ description: 'Optional, because the path contains it' }),
      artifacts: z
        .array(item)
        .max(REPORT_MAX_ARTIFACTS)
        .meta({ description: 'One item for each instance, with everything that runs in it' }),
    })
    .meta({ id, description: 'The complete list of what runs; an empty list if nothing does' });
}

export const K8sReport = reportOf(
  'K8sReport',
  'K8S',
  z.strictObject({
    podName: reportText(300).meta({ description: 'Name of the pod', examples: ['web-7d4b9'] }),
    namespace: optionalText(300).nullish().meta({ description: 'Namespace of the pod' }),
    digests: DigestsOrEmpty,
    creationTimestamp: StartedAt,
    owners: z.array(Owner).max(100).nullish().meta({ description: 'Owners of the pod, as reported by Kubernetes' }),
  }),
);

export const EcsReport = reportOf(
  'EcsReport',
  'ECS',
  z.strictObject({
    taskArn: reportText(2048).meta({
      description: 'ARN of the task',
      examples: ['arn:aws:ecs:eu-west-1:123456789012:task/shop/0f1e2d3c'],
    }),
    cluster_name: optionalText(1000).nullish().meta({ description: 'Cluster of the task' }),
    service_name: optionalText(1000).nullish().meta({ description: 'Service of the task' }),
    digests: DigestsOrEmpty,
    creationTimestamp: StartedAt,
  }),
);

const Plain = z.strictObject({ digests: Digests, creationTimestamp: StartedAt });

export const S3Report = reportOf('S3Report', 'S3', Plain);
export const LambdaReport = reportOf('LambdaReport', 'lambda', Plain);
export const ServerReport = reportOf('ServerReport', 'server', Plain);
export const DockerReport = reportOf('DockerReport', 'docker', Plain);

/** Spec 2.4. */
const CloudApp = z.strictObject({
  app_name: reportText(1000).meta({ description: 'Name of the app', examples: ['shop-web'] }),
  app_kind: optionalText(1000).meta({ description: 'Kind of app, as named by the provider', examples: ['app'] }),
  digests_source: optionalText(100).meta({ description: 'Where the digests come from', examples: ['logs'] }),
  digests: DigestsOrEmpty,
  creationTimestamp: StartedAt,
});

export const CloudxAppsReport = reportOf('CloudxAppsReport', 'cloudx-apps', CloudApp);
export const AzureAppsReport = reportOf('AzureAppsReport', 'azure-apps', CloudApp);

export const CloudRunReport = reportOf(
  'CloudRunReport',
  'cloud-run',
  z
    .strictObject({
      digests: DigestsOrEmpty,
      creationTimestamp: StartedAt,
      kind: z.enum(['service', 'job']).nullish(),
      serviceName: optionalText(1000).nullish().meta({ description: 'For a service: its name' }),
      revisionName: optionalText(1000).nullish().meta({ description: 'For a service: the revision' }),
      jobName: optionalText(1000).nullish().meta({ description: 'For a job: its name' }),
    })
    .meta({
      examples: [
        {
          kind: 'service',
          serviceName: 'web',
          digests: { 'registry/app:1': 'a'.repeat(64) },
          creationTimestamp: 1_700_000_000,
        },
      ],
    }),
);

function report<const Id extends string, const Kind extends string, Body extends z.ZodType>(
  id: Id,
  kind: Kind,
  what: string,
  body: Body,
) {
  return contract({
    id,
    summary: `Report what runs in ${what}`,
    description:
      'The list must be complete: an artifact that is missing from it counts as exited. A new snapshot is created ' +
      'only if an artifact started or exited, or if its details changed; a report that differs only in instances ' +
      'creates none.',
    tag: 'Environment reports',
    method: 'PUT',
    path: `/environments/:org/:env_name/report/${kind}`,
    access: 'report_environments',
    dryRun: true,
    addsEvidence: true,
    params: EnvironmentParams,
    body,
    bodyMaxBytes: REPORT_MAX_BYTES,
    status: 200,
    reply: z.string(),
    replyHeaders: {
      'waymark-snapshot': '`<index>; created` or `<index>; unchanged`, with the index of the latest snapshot',
    },
    errors: [400, 401, 403, 404, 413, 429, 503],
  });
}

export const reportK8s = report('reportK8s', 'K8S', 'a Kubernetes environment', K8sReport);
export const reportEcs = report('reportEcs', 'ECS', 'an ECS environment', EcsReport);
export const reportS3 = report('reportS3', 'S3', 'an S3 environment', S3Report);
export const reportLambda = report('reportLambda', 'lambda', 'a lambda environment', LambdaReport);
export const reportServer = report('reportServer', 'server', 'a server environment', ServerReport);
export const reportDocker = report('reportDocker', 'docker', 'a docker environment', DockerReport);
export const reportCloudxApps = report(
  'reportCloudxApps',
  'cloudx-apps',
  'a web and function apps environment',
  CloudxAppsReport,
);
export const reportAzureApps = report(
  'reportAzureApps',
  'azure-apps',
  'a web and function apps environment (compatibility path)',
  AzureAppsReport,
);
export const reportCloudRun = report('reportCloudRun', 'cloud-run', 'a cloud-run environment', CloudRunReport);
