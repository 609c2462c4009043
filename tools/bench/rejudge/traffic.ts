import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../call.ts';
import { artifactOf, attested, built, call, type Fleet, reported } from './fleet.ts';

/** Background load of the org, per second. */
const SAME_REPORTS = 20;
const CHANGED_REPORTS = 10;
const ATTESTATIONS = 10;

const FLOW = 'elsewhere';
const TRAIL = 'build-1';
const ENVIRONMENT = 'elsewhere';

export interface Traffic {
  /** Calls that were answered so far. */
  readonly calls: number;
  stop(): Promise<void>;
}

/**
 * Reports of the fleet that repeat the last or change something unjudged, and evidence about an artifact that runs in
 * one other environment.
 */
export async function startTraffic(fleet: Fleet): Promise<Traffic> {
  const { caller, environments, running } = fleet;
  const { org } = caller;
  const elsewhere = artifactOf('elsewhere');
  await call(caller, { method: 'PUT', path: `/flows/${org}`, body: { name: FLOW, template: 'version: 1' } });
  await call(caller, built(org, FLOW, TRAIL, elsewhere));
  await call(caller, { method: 'PUT', path: `/environments/${org}`, body: { name: ENVIRONMENT, type: 'server' } });
  await call(caller, reported(org, ENVIRONMENT, [elsewhere]));
  const stopping = new AbortController();
  let calls = 0;
  const changedTo = new Map<string, string>();
  const any = () => environments[Math.floor(Math.random() * environments.length)] ?? '';
  const runningIn = (environment: string) => {
    const version = changedTo.get(environment);
    return version === undefined ? running : [...running, artifactOf('beside', version)];
  };

  async function repeat(perSecond: number, next: (i: number) => Call): Promise<void> {
    for (let i = 1; !stopping.signal.aborted; i++) {
      const due = performance.now() + 1_000 / perSecond;
      await call(caller, next(i));
      calls += 1;
      await sleep(Math.max(0, due - performance.now()));
    }
  }
  const senders = Promise.all([
    repeat(SAME_REPORTS, () => {
      const environment = any();
      return reported(org, environment, runningIn(environment));
    }),
    repeat(CHANGED_REPORTS, (i) => {
      const environment = any();
      changedTo.set(environment, `version ${i}`);
      return reported(org, environment, runningIn(environment));
    }),
    repeat(ATTESTATIONS, (i) => attested(org, FLOW, TRAIL, `check-${i % 5}`, elsewhere, i % 2 === 0)),
  ]);
  // stop() reports a failed one.
  senders.catch(() => undefined);
  return {
    get calls() {
      return calls;
    },
    async stop() {
      stopping.abort();
      await senders;
    },
  };
}
