/** Kubernetes objects, as far as tests read them. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own, which the validator knows.
  readonly spec?: any;
  readonly rules?: readonly object[];
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly securityContext?: object;
  readonly resources?: { readonly requests?: object; readonly limits?: object };
}

export interface Pod {
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly securityContext?: object;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly projected?: { readonly sources: readonly { readonly secret?: { readonly name: string } }[] };
  }[];
}

/** The pods of Deployments, Jobs and tests. */
export function podsOf(manifests: readonly Manifest[]): Pod[] {
  return manifests.flatMap(({ kind, spec }) => {
    if (kind === 'Pod') return [spec as Pod];
    return kind === 'Deployment' || kind === 'Job' ? [spec.template.spec as Pod] : [];
  });
}

export function containersOf(pods: readonly Pod[]): Container[] {
  return pods.flatMap(({ initContainers = [], containers }) => [...initContainers, ...containers]);
}

export function findManifest(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && (name === undefined || each.metadata.name === name));
  if (!found) throw new Error(`no ${kind} ${name ?? ''} among ${manifests.map((each) => each.kind).join(', ')}`);
  return found;
}
