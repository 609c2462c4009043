import type { EnvironmentType } from '@waymark/contract';

export type PhysicalType = Exclude<EnvironmentType, 'logical'>;

/** Something that runs images: a pod, a task, a process. A report has one entry for it. */
export interface Unit {
  readonly id: string;
  /** Where it is, where that exists: a namespace, a revision. */
  readonly place: string | null;
  /** Name to fingerprint. */
  readonly images: Readonly<Record<string, string>>;
  readonly started: number;
  /** Changes what is reported about it without making it another one. */
  readonly variant: number;
}

/** An image that runs, as a snapshot shows it. */
export interface Content {
  readonly name: string;
  readonly fingerprint: string;
  readonly starts: readonly number[];
  /** What distinguishes the instances; empty where nothing does. */
  readonly identities: readonly string[];
  readonly pods: Readonly<Record<string, object>> | null;
  readonly task: object | null;
  readonly run: object | null;
  readonly app: object | null;
}

export function isIdentifying(type: PhysicalType): boolean {
  return !['S3', 'lambda', 'server', 'docker'].includes(type);
}

export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function byNameAndFingerprint(
  a: { readonly name: string; readonly fingerprint: string },
  b: { readonly name: string; readonly fingerprint: string },
): number {
  return byText(a.name, b.name) || byText(a.fingerprint, b.fingerprint);
}

/** How a reporter sends it. */
export function toEntry(type: PhysicalType, unit: Unit): object {
  const plain = { digests: unit.images, creationTimestamp: unit.started };
  switch (type) {
    case 'K8S':
      return { ...plain, podName: unit.id, namespace: unit.place, owners: sentOwners(unit) };
    case 'ECS':
      return { ...plain, taskArn: unit.id, cluster_name: cluster(unit), service_name: unit.place };
    case 'cloudx-apps':
    case 'azure-apps':
      return { ...plain, app_name: unit.id, app_kind: `kind ${unit.variant}`, digests_source: 'registry' };
    case 'cloud-run':
      return { ...plain, ...sentRun(unit) };
    default:
      return plain;
  }
}

/** All images of a report with their instances, by name and fingerprint. */
export function contentsOf(type: PhysicalType, units: readonly Unit[]): Content[] {
  const images = new Map<string, { name: string; fingerprint: string }>();
  for (const unit of units) {
    for (const [name, fingerprint] of Object.entries(unit.images)) {
      images.set(JSON.stringify([name, fingerprint]), { name, fingerprint });
    }
  }
  return [...images.values()].sort(byNameAndFingerprint).map((image) => {
    const running = units.filter((unit) => unit.images[image.name] === image.fingerprint);
    return { ...image, ...instancesOf(type, running) };
  });
}

function instancesOf(type: PhysicalType, running: readonly Unit[]): Omit<Content, 'name' | 'fingerprint'> {
  const listed = isIdentifying(type) ? eachOnce(type, running) : running;
  const [first] = listed;
  return {
    starts: listed.map((unit) => unit.started).sort((a, b) => a - b),
    identities: isIdentifying(type) ? listed.map((unit) => identityOf(type, unit)) : [],
    pods: type === 'K8S' ? podsOf(listed) : null,
    task:
      type === 'ECS' && first ? { task_arn: first.id, cluster_name: cluster(first), service_name: first.place } : null,
    run: type === 'cloud-run' && first ? shownRun(first) : null,
    app:
      (type === 'cloudx-apps' || type === 'azure-apps') && first
        ? { app_name: first.id, app_kind: `kind ${first.variant}`, digests_source: 'registry' }
        : null,
  };
}

/** Of duplicates, the one that started first, ordered by identity. */
function eachOnce(type: PhysicalType, running: readonly Unit[]): Unit[] {
  const earliest = new Map<string, Unit>();
  for (const unit of running) {
    const known = earliest.get(identityOf(type, unit));
    if (!known || unit.started < known.started) earliest.set(identityOf(type, unit), unit);
  }
  return [...earliest.entries()].sort(([a], [b]) => byText(a, b)).map(([, unit]) => unit);
}

function identityOf(type: PhysicalType, unit: Unit): string {
  if (type === 'K8S') return `${unit.place ?? ''} / ${unit.id}`;
  if (type !== 'cloud-run') return unit.id;
  const { kind, serviceName, revisionName, jobName } = sentRun(unit);
  return `${kind ?? ''} / ${serviceName} / ${revisionName ?? ''} / ${jobName ?? ''}`;
}

function cluster(unit: Unit): string | null {
  return unit.variant % 2 === 0 ? null : `cluster-${unit.variant}`;
}

function sentRun(unit: Unit) {
  const kinds = ['service', 'job', null] as const;
  return {
    kind: kinds[unit.variant % 3] ?? null,
    serviceName: unit.id,
    revisionName: unit.place,
    jobName: unit.variant % 2 === 0 ? null : '',
  };
}

function shownRun(unit: Unit) {
  const { kind, serviceName, revisionName, jobName } = sentRun(unit);
  return { kind, revision_name: revisionName, service_name: serviceName, job_name: jobName };
}

function sentOwners(unit: Unit) {
  if (unit.variant % 3 === 0) return null;
  return [{ uid: null, name: `set-${unit.variant}`, kind: 'ReplicaSet', controller: unit.variant % 2 === 0 }];
}

function podsOf(pods: readonly Unit[]): Record<string, object> {
  const shown: Record<string, object> = {};
  for (const pod of pods) {
    const namespace = pod.place ?? '';
    const key = pod.id in shown ? `${namespace}/${pod.id}` : pod.id;
    const owners =
      pod.variant % 3 === 0
        ? []
        : [{ kind: 'ReplicaSet', name: `set-${pod.variant}`, controller: pod.variant % 2 === 0 }];
    shown[key] = { namespace, creationTimestamp: pod.started, owners };
  }
  return shown;
}
