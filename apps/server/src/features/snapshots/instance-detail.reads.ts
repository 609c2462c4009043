import { readStored } from '../../platform/stored-json.ts';

/** The stored detail of an artifact's instances, as JSON text in the database. */
export interface InstanceDetail {
  /** Start times in seconds, one per instance, in order. */
  readonly timestamps: readonly number[];
  readonly pods?: Readonly<Record<string, PodDetail>>;
  /** Of the first instance, as the API has room for one only. */
  readonly task?: {
    readonly task_arn: string;
    readonly cluster_name: string | null;
    readonly service_name: string | null;
  };
  readonly run?: {
    readonly kind: string | null;
    readonly revision_name: string | null;
    readonly service_name: string | null;
    readonly job_name: string | null;
  };
  readonly app?: { readonly app_name: string; readonly app_kind: string; readonly digests_source: string };
  /** Distinguishes the instances, in order. Absent where something else does: pods, or a single instance. */
  readonly ids?: readonly string[];
}

export interface PodDetail {
  /** Where the key differs from the pod's own name. */
  readonly name?: string;
  readonly namespace: string;
  readonly creationTimestamp: number;
  readonly owners: readonly Readonly<Record<string, unknown>>[];
}

export const NO_DETAIL: InstanceDetail = { timestamps: [] };

/** Returns whether the same instances run, whenever they started. Unreadable detail equals nothing. */
export function sameInstances(a: string, b: string): boolean {
  if (a === b) return true;
  const [one, other] = [readStored<InstanceDetail>(a), readStored<InstanceDetail>(b)];
  if (!one || !other || one.timestamps.length !== other.timestamps.length) return false;
  const ids = idsOf(one);
  const others = idsOf(other);
  return ids.length === others.length && ids.every((id, i) => id === others[i]);
}

function idsOf({ pods, task, run, app, ids }: InstanceDetail): readonly string[] {
  if (ids) return ids;
  if (pods) return podIds(pods);
  if (task) return [task.task_arn];
  if (app) return [app.app_name];
  return run ? [runId(run.kind, run.service_name, run.revision_name, run.job_name)] : [];
}

function podIds(pods: Readonly<Record<string, PodDetail>>): string[] {
  return Object.entries(pods)
    .map(([key, { namespace, name = key }]) => podId(namespace, name))
    .sort();
}

/** Names hold no control characters, so one can separate them. */
export function podId(namespace: string, name: string): string {
  return `${namespace}\u001f${name}`;
}

type Sent = string | null | undefined;

/** A missing name and an empty one are equal. */
export function runId(kind: Sent, service: Sent, revision: Sent, job: Sent): string {
  return `${kind ?? ''}\u001f${service ?? ''}\u001f${revision ?? ''}\u001f${job ?? ''}`;
}
