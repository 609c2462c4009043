import { reportDocker, reportK8s, reportServer } from '../../packages/contract/src/index.ts';
import { sha256Of } from './chance.ts';
import type { DemoApi } from './demo-api.ts';
import { secondsOf } from './moments.ts';
import type { Place } from './shop.ts';
import type { Words } from './words.ts';

export interface Run {
  readonly image: string;
  readonly fingerprint: string;
  readonly instances: number;
  readonly since: Date;
}

/** What runs in each environment, by service, and how it is reported. */
export interface Running {
  start(place: Place, service: string, run: Omit<Run, 'since' | 'instances'> & { instances?: number }): void;
  scale(place: Place, service: string, instances: number): void;
  stop(place: Place, service: string): void;
  /** Reports everything that runs there, at the time of the clock. */
  report(place: Place): Promise<void>;
  bodyOf(place: Place): ReportBody;
}

export interface ReportBody {
  readonly artifacts: readonly { readonly digests: Readonly<Record<string, string>> }[];
}

/** How each environment is reported. */
export const REPORTS = {
  staging: reportDocker,
  production: reportK8s,
  'eu-production': reportK8s,
  batch: reportServer,
} as const;

const INSTANCES = { staging: 1, production: 3, 'eu-production': 2, batch: 1 } as const;

export function createRunning(api: DemoApi, reporterKey: string, words: Words): Running {
  const places = new Map<Place, Map<string, Run>>();
  const names = new Map<string, string>();

  function at(place: Place): Map<string, Run> {
    const there = places.get(place) ?? new Map<string, Run>();
    places.set(place, there);
    return there;
  }

  /** One name per image, however hostile. */
  function nameOf(image: string): string {
    const name = names.get(image) ?? words.text(image);
    names.set(image, name);
    return name;
  }

  function start(place: Place, service: string, run: Parameters<Running['start']>[2]): void {
    const instances = run.instances ?? at(place).get(service)?.instances ?? INSTANCES[place];
    at(place).set(service, { ...run, instances, since: api.clock.now });
  }

  function bodyOf(place: Place): ReportBody {
    const runs = [...at(place)].flatMap(([service, run]) =>
      Array.from({ length: run.instances }, (_, n) => ({ service, n, ...run, name: nameOf(run.image) })),
    );
    return { artifacts: runs.map(REPORTS[place] === reportK8s ? toPod : toPlain) };
  }

  return {
    start,
    scale(place, service, instances) {
      const run = at(place).get(service);
      if (run) at(place).set(service, { ...run, instances });
    },
    stop: (place, service) => void at(place).delete(service),
    bodyOf,
    async report(place) {
      const params = { env_name: place };
      const body = bodyOf(place);
      await api.call(reporterKey, REPORTS[place], { params, body: body as never });
    },
  };
}

type Instance = Run & { readonly service: string; readonly n: number; readonly name: string };

function toPlain({ name, fingerprint, since }: Instance) {
  return { digests: { [name]: fingerprint }, creationTimestamp: secondsOf(since) };
}

function toPod(instance: Instance) {
  const { service, n, fingerprint } = instance;
  const set = `${service}-${fingerprint.slice(0, 9)}`;
  return {
    ...toPlain(instance),
    podName: `${set}-${sha256Of(`${set} ${n}`).slice(0, 5)}`,
    namespace: 'shop',
    owners: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: set, controller: true }],
  };
}
