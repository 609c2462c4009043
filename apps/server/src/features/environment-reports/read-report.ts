import { hash } from 'node:crypto';
import * as api from '@waymark/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';
import { requireStorable } from '../../platform/http/storable.ts';
import { parse } from '../../platform/http/validation.ts';
import { lazy } from '../../platform/lazy.ts';
import { podId, runId } from '../snapshots/instance-detail.reads.ts';
import { contentOf, type Instances, type ReportEntry } from './report-content.ts';
import type { ReportContent } from './run-content.ts';

/** Raised when the same report may be read differently than before. A change of its schema is detected without it. */
const READER = 1;

/**
 * Lengths are counted in UTF-16 units, which is fast but may exceed the number of characters. What fails for that
 * reason is checked again by the schema, which decides.
 */
const QUICK = { strict: false, validateSchema: false, unicode: false, logger: false } as const;

/** The number of artifacts that are checked for faults, beginning with the first that has one. */
const EXPLAINED = 20;

/** Further members are not checked for faults: each could have one, and reporting it takes many times its size. */
const MAX_MEMBERS = 50_000;

interface Reader {
  readonly version: () => string;
  readonly read: (body: unknown, sentBytes: number) => ReportContent;
  /** For tests: whether the compiled check accepts a body. */
  readonly accepts: (body: unknown) => boolean;
  readonly shape: z.ZodType;
}

type EntryOf<Shape extends z.ZodType<{ artifacts: ReportEntry[] }>> = z.output<Shape>['artifacts'][number];

const anonymous: Instances<ReportEntry> = { describe: () => '' };

const pods: Instances<EntryOf<typeof api.K8sReport>> = {
  idOf: (pod) => podId(pod.namespace ?? '', pod.podName),
  describe: (pods) => `,"pods":{${podMembers(pods)}}`,
};

const tasks: Instances<EntryOf<typeof api.EcsReport>> = {
  idOf: (task) => task.taskArn,
  describe: ([task], ids) =>
    `,"task":${JSON.stringify({
      task_arn: task?.taskArn,
      cluster_name: task?.cluster_name ?? null,
      service_name: task?.service_name ?? null,
    })}${several(ids)}`,
};

const apps: Instances<EntryOf<typeof api.CloudxAppsReport>> = {
  idOf: (app) => app.app_name,
  describe: ([app], ids) =>
    `,"app":${JSON.stringify({
      app_name: app?.app_name,
      app_kind: app?.app_kind,
      digests_source: app?.digests_source,
    })}${several(ids)}`,
};

const runs: Instances<EntryOf<typeof api.CloudRunReport>> = {
  idOf: (run) => runId(run.kind, run.serviceName, run.revisionName, run.jobName),
  describe: ([run], ids) =>
    `,"run":${JSON.stringify({
      kind: run?.kind ?? null,
      revision_name: run?.revisionName ?? null,
      service_name: run?.serviceName ?? null,
      job_name: run?.jobName ?? null,
    })}${several(ids)}`,
};

export const readers = {
  K8S: reader(api.K8sReport, pods),
  ECS: reader(api.EcsReport, tasks),
  S3: reader(api.S3Report, anonymous),
  lambda: reader(api.LambdaReport, anonymous),
  server: reader(api.ServerReport, anonymous),
  docker: reader(api.DockerReport, anonymous),
  'cloudx-apps': reader(api.CloudxAppsReport, apps),
  'azure-apps': reader(api.AzureAppsReport, apps),
  'cloud-run': reader(api.CloudRunReport, runs),
} as const satisfies Record<string, Reader>;

export type ReportKind = keyof typeof readers;

/** Parses a report. Throws its faults, field by field. */
export function readReport(kind: ReportKind, body: unknown, sentBytes: number): ReportContent {
  return readers[kind].read(body, sentBytes);
}

/** Bytes that were parsed under the same version need not be parsed again. */
export function readerVersion(kind: ReportKind): string {
  return readers[kind].version();
}

/**
 * Reports are the most frequent and the largest bodies, so they are checked by code compiled from their JSON Schema.
 * The Zod schema words the faults.
 */
function reader<Shape extends z.ZodType<{ artifacts: ReportEntry[] }>>(
  shape: Shape,
  instances: Instances<EntryOf<Shape>>,
): Reader {
  const schema = lazy(() => z.toJSONSchema(shape));
  const check = lazy(() => new Ajv2020(QUICK).compile<z.output<Shape>>(schema()));
  return {
    shape,
    version: lazy(() => hash('sha256', `${READER} ${JSON.stringify(schema())}`).slice(0, 16)),
    accepts: (body) => check()(body),
    read(body, sentBytes) {
      const isValid = check();
      const report = isValid(body) ? body : explain(shape, body, isValid.errors?.[0]?.instancePath ?? '');
      return contentOf<EntryOf<Shape>>(report.artifacts, instances, sentBytes);
    },
  };
}

/** Throws the first few faults: a hostile body can have millions. */
function explain<Shape extends z.ZodType>(shape: Shape, body: unknown, pathOfFault: string): z.output<Shape> {
  requireStorable(body);
  const artifacts: unknown = (body as { artifacts?: unknown } | null | undefined)?.artifacts;
  if (Array.isArray(artifacts)) {
    if (artifacts.length > api.REPORT_MAX_ARTIFACTS) {
      throw invalidField('artifacts', `must have at most ${api.REPORT_MAX_ARTIFACTS} items`);
    }
    const first = Number(/^\/artifacts\/(\d+)/.exec(pathOfFault)?.[1] ?? 0);
    requireFewMembers({ ...(body as object), artifacts: artifacts.slice(first, first + EXPLAINED) });
    parse(shape, { ...(body as object), artifacts: artifacts.slice(0, first + EXPLAINED) }, '');
  }
  requireFewMembers(body);
  return parse(shape, body, '');
}

function requireFewMembers(value: unknown): void {
  if (membersOf(value) > MAX_MEMBERS) throw invalidField('body', 'is not valid, and has too many problems to list');
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const key in value) count += 1 + membersOf(value[key as keyof typeof value]);
  return count;
}

function several(ids: readonly string[]): string {
  return ids.length > 1 ? `,"ids":${JSON.stringify(ids)}` : '';
}

function podMembers(pods: readonly EntryOf<typeof api.K8sReport>[]): string {
  const taken = new Set<string>();
  return pods.map((pod) => podMember(pod, freeKey(taken, pod.podName, pod.namespace ?? ''))).join();
}

/** Pods with one name in two namespaces are two pods. */
function freeKey(taken: Set<string>, name: string, namespace: string): string {
  let key = name;
  for (let again = 1; taken.has(key); again++) key = `${namespace}/${name}${again > 1 ? `/${again}` : ''}`;
  taken.add(key);
  return key;
}

/** Written by hand, as this is most of the work for a report of thousands of pods. */
function podMember(pod: EntryOf<typeof api.K8sReport>, key: string): string {
  const name = key === pod.podName ? '' : `"name":${quoted(pod.podName)},`;
  const namespace = quoted(pod.namespace ?? '');
  const owners = pod.owners?.map(ownerText).join() ?? '';
  return `${quoted(key)}:{${name}"namespace":${namespace},"creationTimestamp":${pod.creationTimestamp},"owners":[${owners}]}`;
}

type Owner = NonNullable<EntryOf<typeof api.K8sReport>['owners']>[number];

/** Writes members in one order, whatever order they were sent in. */
function ownerText({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: Owner): string {
  let members = '';
  if (apiVersion != null) members += `,"apiVersion":${quoted(apiVersion)}`;
  if (kind != null) members += `,"kind":${quoted(kind)}`;
  if (name != null) members += `,"name":${quoted(name)}`;
  if (uid != null) members += `,"uid":${quoted(uid)}`;
  if (controller != null) members += `,"controller":${controller}`;
  if (blockOwnerDeletion != null) members += `,"blockOwnerDeletion":${blockOwnerDeletion}`;
  return `{${members.slice(1)}}`;
}

/**
 * Of the characters that JSON escapes, text in reports can hold only these two. Four times as fast as JSON.stringify.
 */
function quoted(text: string): string {
  return text.includes('"') || text.includes('\\') ? JSON.stringify(text) : `"${text}"`;
}
