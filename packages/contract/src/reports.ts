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

const ArtifactName = reportText(500).meta({ description: 'What runs, by its name', examples: ['registry/app:1'] });

/** Upper case is accepted, and stored in lower case. */
const Sha256 = z.string().regex(/^[a-fA-F0-9]{64}$/u, 'must be 64 hexadecimal digits');
const Sha256OrEmpty = z.string().regex(/^([a-fA-F0-9]{64})?$/u, 'must be 64 hexadecimal digits, or empty');

/** A name that would reach into the prototype of an object is refused by the JSON reader. */
const Digests = z.record(ArtifactName, Sha256).meta({
  description: 'Name of what runs to its SHA-256',
  examples: [{ 'registry/app:1': 'a'.repeat(64) }],
});
const DigestsOrEmpty = z.record(ArtifactName, Sha256OrEmpty).meta({
  description: 'Name of what runs to its SHA-256; empty when it is not known what runs under the name',
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
      type: z.literal(type).nullish().meta({ description: 'May be left out: the address says it' }),
      artifacts: z
        .array(item)
        .max(REPORT_MAX_ARTIFACTS)
        .meta({ description: 'One for each instance, with all that runs in it' }),
    })
    .meta({ id, description: 'All that runs, complete; an empty list when nothing does' });
}

export const K8sReport = reportOf(
  'K8sReport',
  'K8S',
  z.strictObject({
    podName: reportText(300).meta({ description: 'Name of the pod', examples: ['web-7d4b9'] }),
    namespace: optionalText(300).nullish().meta({ description: 'Where the pod is' }),
    digests: DigestsOrEmpty,
    creationTimestamp: StartedAt,
    owners: z.array(Owner).max(100).nullish().meta({ description: 'What made the pod, as Kubernetes tells it' }),
  }),
);

export const EcsReport = reportOf(
  'EcsReport',
  'ECS',
  z.strictObject({
    taskArn: reportText(2048).meta({
      description: 'The task',
      examples: ['arn:aws:ecs:eu-west-1:123456789012:task/shop/0f1e2d3c'],
    }),
    cluster_name: optionalText(1000).nullish().meta({ description: 'The cluster that the task runs in' }),
    service_name: optionalText(1000).nullish().meta({ description: 'The service that the task belongs to' }),
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
  app_kind: optionalText(1000).meta({ description: 'What the provider calls its kind', examples: ['app'] }),
  digests_source: optionalText(100).meta({ description: 'Where the digests were taken from', examples: ['logs'] }),
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
      serviceName: optionalText(1000).nullish().meta({ description: 'Of a service: its name' }),
      revisionName: optionalText(1000).nullish().meta({ description: 'Of a service: the revision' }),
      jobName: optionalText(1000).nullish().meta({ description: 'Of a job: its name' }),
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
      'The list is complete: what is not in it does not run any more. A new snapshot is made only when an artifact ' +
      'started or exited, or what is known about one changed; a report that differs in instances alone makes none.',
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
    replyHeaders: { 'waymark-snapshot': '`<index>; created` or `<index>; unchanged`: the latest snapshot' },
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
  'an environment of web and function apps',
  CloudxAppsReport,
);
export const reportAzureApps = report(
  'reportAzureApps',
  'azure-apps',
  'an environment of web and function apps, under the word that clients use',
  AzureAppsReport,
);
export const reportCloudRun = report('reportCloudRun', 'cloud-run', 'a cloud-run environment', CloudRunReport);
