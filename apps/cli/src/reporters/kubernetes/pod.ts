import { digestIn, digestsOf, plainText, type ReportOf } from '../report.ts';

/** The parts of a `v1.Pod` that say what runs. */
export interface Pod {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string | null;
    readonly deletionTimestamp?: string | null;
    readonly ownerReferences?: readonly OwnerReference[] | null;
  };
  readonly spec?: {
    readonly restartPolicy?: string;
    readonly containers?: readonly Container[] | null;
    readonly initContainers?: readonly Container[] | null;
    readonly ephemeralContainers?: readonly Container[] | null;
  };
  readonly status?: {
    readonly phase?: string;
    readonly containerStatuses?: readonly ContainerStatus[] | null;
    readonly initContainerStatuses?: readonly ContainerStatus[] | null;
    readonly ephemeralContainerStatuses?: readonly ContainerStatus[] | null;
  };
}

interface OwnerReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly restartPolicy?: string;
}

interface ContainerStatus {
  readonly name?: string;
  readonly image?: string;
  readonly imageID?: string;
  readonly restartCount?: number;
  readonly state?: {
    readonly running?: object | null;
    readonly waiting?: object | null;
    readonly terminated?: { readonly exitCode?: number } | null;
  } | null;
}

export type PodArtifact = ReportOf<'K8S'>['artifacts'][number];

/** What runs in the pod; undefined if nothing does. */
export function runningIn(pod: Pod): PodArtifact | undefined {
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return undefined;
  const found = [...containersOf(pod)].filter(runs).map(({ status, container }) => imageOf(status, container));
  if (found.length === 0) return undefined;
  const { name = '', namespace = '', creationTimestamp, ownerReferences } = pod.metadata ?? {};
  return {
    podName: plainText(name, 300) || 'unnamed',
    namespace: plainText(namespace, 300),
    digests: digestsOf(found),
    creationTimestamp: secondsOf(creationTimestamp),
    owners: (ownerReferences ?? []).slice(0, 100).map(ownerOf),
  };
}

interface Placed {
  readonly status: ContainerStatus;
  readonly container: Container | undefined;
  /** Whether, and when, it is started again once it ended. */
  readonly restart: string;
}

function* containersOf({ metadata, spec = {}, status = {} }: Pod): Generator<Placed> {
  const ofPod = spec.restartPolicy ?? 'Always';
  // An init container of a pod that is always restarted is repeated until it succeeds once.
  const ofInit = ofPod === 'Always' ? 'OnFailure' : ofPod;
  yield* placed(spec.containers, status.containerStatuses, ofPod);
  yield* placed(spec.initContainers, status.initContainerStatuses, ofInit);
  yield* placed(spec.ephemeralContainers, status.ephemeralContainerStatuses, 'Never');

  function* placed(
    containers: readonly Container[] | null | undefined,
    statuses: readonly ContainerStatus[] | null | undefined,
    usual: string,
  ): Generator<Placed> {
    for (const status of statuses ?? []) {
      const container = containers?.find(({ name }) => name === status.name);
      // One with a policy of its own is a sidecar.
      const restart = metadata?.deletionTimestamp ? 'Never' : (container?.restartPolicy ?? usual);
      yield { status, container, restart };
    }
  }
}

/**
 * A container between a crash and its next start counts as running: it will be back within minutes, and would otherwise
 * come and go with each crash.
 */
function runs({ status: { state, restartCount = 0 }, restart }: Placed): boolean {
  if (state?.running) return true;
  if (restart === 'Never') return false;
  if (state?.terminated) return restart === 'Always' || state.terminated.exitCode !== 0;
  return restartCount > 0;
}

/** The status names what was started; for an image without a name of its own that is its id. */
function imageOf({ image = '', imageID }: ContainerStatus, container: Container | undefined): [string, string] {
  const isName = image !== '' && !/^(sha256:)?[a-f0-9]{64}$/.test(image);
  const name = isName ? image : (container?.image ?? image);
  return [name, digestIn(imageID)];
}

function ownerOf(owner: OwnerReference): NonNullable<PodArtifact['owners']>[number] {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
  return {
    ...(apiVersion != null && { apiVersion: plainText(apiVersion, 300) }),
    ...(kind != null && { kind: plainText(kind, 300) }),
    ...(name != null && { name: plainText(name, 300) }),
    ...(uid != null && { uid: plainText(uid, 300) }),
    ...(controller != null && { controller }),
    ...(blockOwnerDeletion != null && { blockOwnerDeletion }),
  };
}

function secondsOf(time: string | null | undefined): number {
  return Math.max(0, Math.floor((Date.parse(time ?? '') || 0) / 1000));
}
