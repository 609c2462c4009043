import { reportK8s } from '@waymark/contract';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { givenEnvironment } from '../../../../server/test/given/environments.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { EXPIRED, type FakeKubernetes, FORBIDDEN, startKubernetes } from '../fixtures/fake-kubernetes.ts';
import type { ReportOf } from '../report.ts';
import { httpApi } from './http-api.ts';
import type { Pod } from './pod.ts';
import type { KubernetesOptions } from './selection.ts';
import { type WatchHooks, watchKubernetes } from './watch-kubernetes.ts';

const server = await startApi();
const PACE = { retryFirstMs: 10, retryMaxMs: 50 };

let cluster: FakeKubernetes;
let reports: { cause: string; pods: string[] }[];
let notes: string[];
let stop: AbortController;
let watching: Promise<void>;

beforeEach(async () => {
  cluster = await startKubernetes([pod('web'), pod('cart')]);
  reports = [];
  notes = [];
  stop = new AbortController();
  watching = Promise.resolve();
});

afterEach(async () => {
  stop.abort();
  await watching;
  await cluster.close();
});

function pod(name: string, digest = 'a', namespace = 'shop'): Pod {
  const image = `ghcr.io/acme/${name}:1`;
  const status = { name, image, imageID: `${image}@sha256:${digest.repeat(64)}`, state: { running: {} } };
  return {
    metadata: { name, namespace, uid: `uid-${name}`, creationTimestamp: '2026-03-02T08:00:00Z' },
    status: { phase: 'Running', containerStatuses: [status] },
  };
}

function namesIn({ artifacts }: ReportOf<'K8S'>): string[] {
  return artifacts.map(({ podName, digests }) => `${podName} ${Object.values(digests)[0]?.[0]}`);
}

function watch(hooks: Partial<WatchHooks> = {}, options: KubernetesOptions = {}): void {
  watching = watchKubernetes(
    httpApi(async () => ({ server: cluster.url })),
    options,
    {
      heartbeatMs: 60_000,
      settleMs: 30,
      pace: PACE,
      signal: stop.signal,
      onNote: (note) => notes.push(note),
      ...hooks,
      onReport: async (report, cause) => {
        reports.push({ cause, pods: namesIn(report) });
        await hooks.onReport?.(report, cause);
      },
    },
  );
  watching.catch(() => undefined);
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 180_000, interval: 5 });
const watched = (times = 1) => until(() => expect(cluster.watches).toBe(times));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('reports what is there first, then each change once it settled', async () => {
  watch();
  await until(() => expect(reports).toEqual([{ cause: 'start', pods: ['cart a', 'web a'] }]));
  await watched();
  cluster.put(pod('web', 'b'));
  cluster.put(pod('api', 'c'));
  cluster.remove(pod('cart'));
  await until(() => expect(reports).toHaveLength(2));
  expect(reports[1]).toEqual({ cause: 'change', pods: ['api c', 'web b'] });
  const completed: Pod = { ...pod('api', 'c'), status: { phase: 'Succeeded' } };
  cluster.put(completed);
  await until(() => expect(reports[2]).toEqual({ cause: 'change', pods: ['web b'] }));
  expect(notes).toEqual([]);
});

it('does not report changes that do not affect what runs', async () => {
  watch();
  await watched();
  cluster.put({ ...pod('web'), spec: { restartPolicy: 'Always' } });
  cluster.bookmark();
  await pause(150);
  expect(reports).toHaveLength(1);
});

it('reports while changes never settle', async () => {
  watch({ settleMs: 100 });
  await watched();
  const churn = setInterval(() => cluster.put(pod('web', Math.random() < 0.5 ? 'b' : 'c')), 20);
  await until(() => expect(reports.length).toBeGreaterThan(1));
  clearInterval(churn);
  expect(reports[1]?.cause).toBe('change');
});

it('repeats the report as a heartbeat', async () => {
  watch({ heartbeatMs: 60 });
  await until(() => expect(reports.length).toBeGreaterThan(2));
  expect(reports[2]).toEqual({ cause: 'heartbeat', pods: ['cart a', 'web a'] });
});

it('resumes when a watch ends, and misses nothing in between', async () => {
  watch();
  await watched();
  cluster.put(pod('web', 'b'));
  await until(() => expect(reports).toHaveLength(2));
  cluster.endWatches('end');
  cluster.put(pod('web', 'c'));
  await until(() => expect(reports.at(-1)?.pods).toEqual(['cart a', 'web c']));
  const lists = cluster.asked.filter(({ query }) => !query['watch']);
  const again = cluster.asked.filter(({ query }) => query['watch'])[1];
  expect(lists).toHaveLength(1);
  expect(again?.query).toMatchObject({ resourceVersion: '2001', allowWatchBookmarks: 'true', timeoutSeconds: '120' });
});

it('resumes from the last bookmark when a stream breaks in the middle of an event', async () => {
  watch();
  await watched();
  cluster.bookmark();
  cluster.compact();
  cluster.bookmark();
  await pause(30);
  cluster.endWatches('cut');
  await until(() => expect(notes).toHaveLength(1));
  await watched();
  cluster.put(pod('api', 'd'));
  await until(() => expect(reports.at(-1)?.pods).toEqual(['api d', 'cart a', 'web a']));
  expect(cluster.asked.filter(({ query }) => !query['watch'])).toHaveLength(1);
  expect(notes[0]).toContain('The cluster cannot be reached');
});

it.each(['event', 'answer'])('lists again when its position has expired, by an %s', async (signal) => {
  watch();
  await watched();
  if (signal === 'event') cluster.endWatches('gone');
  else {
    let isGone = true;
    cluster.refuse = ({ query }) => {
      const refused = isGone && query['watch'] ? EXPIRED : undefined;
      isGone = isGone && !refused;
      return refused;
    };
    cluster.endWatches('end');
  }
  cluster.pods.delete('shop/cart');
  await until(() => expect(reports.at(-1)).toEqual({ cause: 'change', pods: ['web a'] }));
  expect(cluster.asked.filter(({ query }) => !query['watch'])).toHaveLength(2);
});

it('drops an idle connection', async () => {
  watch({ pace: { ...PACE, watchSeconds: 0, graceSeconds: 0.1 } });
  await until(() => expect(notes[0]).toContain('The cluster cannot be reached'));
  await until(() => expect(cluster.asked.filter(({ query }) => query['watch']).length).toBeGreaterThan(1));
});

it('handles events of a megabyte, and stores only what runs', async () => {
  watch();
  await watched();
  const metadata = { ...pod('web').metadata, annotations: { config: 'ü'.repeat(700_000) } };
  for (const digest of 'bcdef') cluster.put({ ...pod('web', digest), metadata });
  await until(() => expect(reports.at(-1)?.pods).toEqual(['cart a', 'web f']));
  expect(notes).toEqual([]);
});

it('sends no report while the cluster does not answer', async () => {
  watch({ heartbeatMs: 20 });
  await until(() => expect(reports.length).toBeGreaterThan(1));
  cluster.refuse = () => ({ status: 500, reason: 'InternalError', message: 'etcd is gone' });
  cluster.endWatches('cut');
  await until(() => expect(notes.length).toBeGreaterThan(1));
  const before = reports.length;
  await pause(200);
  expect(reports.length).toBe(before);
  cluster.refuse = () => undefined;
  await until(() => expect(reports.length).toBeGreaterThan(before + 1));
});

it('never sends a partial report: each namespace has to be listed first', async () => {
  cluster.put(pod('bank', 'e', 'ops'));
  let isOpsDown = true;
  cluster.refuse = ({ path }) =>
    isOpsDown && path.includes('/ops/')
      ? { status: 503, reason: 'ServiceUnavailable', message: 'later', headers: { 'retry-after': '0' } }
      : undefined;
  watch({ heartbeatMs: 20 }, { namespaces: ['shop', 'ops'] });
  await until(() => expect(notes.length).toBeGreaterThan(1));
  expect(reports).toEqual([]);
  isOpsDown = false;
  await until(() => expect(reports[0]).toEqual({ cause: 'start', pods: ['bank e', 'cart a', 'web a'] }));
});

it('ends when the first list is refused permanently, and retries later ones', async () => {
  cluster.refuse = () => FORBIDDEN;
  watch();
  await expect(watching).rejects.toMatchObject({ ending: 'denied' });
  watching = Promise.resolve();
  cluster.refuse = () => undefined;
  watch();
  await watched();
  cluster.refuse = () => FORBIDDEN;
  cluster.endWatches('end');
  await until(() => expect(notes.at(-1)).toContain('The cluster refused to list its pods (403): pods is forbidden'));
  cluster.refuse = () => undefined;
  cluster.put(pod('web', 'f'));
  await until(() => expect(reports.at(-1)?.pods).toEqual(['cart a', 'web f']));
});

it('retries a failed report with the current state, one at a time', async () => {
  let isDown = true;
  let open = 0;
  let mostOpen = 0;
  watch({
    onReport: async () => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      await pause(20);
      open -= 1;
      if (isDown) throw new Error('the service is down');
    },
    heartbeatMs: 100,
  });
  await until(() => expect(reports.length).toBeGreaterThan(1));
  cluster.put(pod('web', 'b'));
  await until(() => expect(reports.at(-1)).toEqual({ cause: 'retry', pods: ['cart a', 'web b'] }));
  isDown = false;
  await until(() => expect(reports.at(-1)?.cause).toBe('heartbeat'));
  expect(reports.at(-1)?.pods).toEqual(['cart a', 'web b']);
  expect(mostOpen).toBe(1);
  expect(notes[0]).toBe('The report was not delivered; the next try follows: the service is down');
});

it('stops at once, also during a report', async () => {
  watch({
    onReport: () =>
      new Promise((_, reject) => stop.signal.addEventListener('abort', () => reject(new Error('stopped')))),
  });
  await until(() => expect(reports).toHaveLength(1));
  stop.abort();
  await watching;
  await until(() => expect(cluster.watches).toBe(0));
  expect(notes).toEqual([]);
});

it('follows a rollout into the real service: a snapshot for each change, and none for heartbeats', async () => {
  await givenEnvironment(server, 'watched', 'K8S');
  const snapshots: unknown[] = [];
  watch({
    heartbeatMs: 50,
    onReport: async (report) => {
      const params = { org: server.org.name, env_name: 'watched' };
      const answer = await server.call(reportK8s, { params, body: report });
      snapshots.push(answer.headers['waymark-snapshot']);
    },
  });
  await watched();
  await until(() => expect(snapshots).toContain('1; unchanged'));
  cluster.put(pod('web', 'b'));
  await until(() => expect(snapshots).toContain('2; unchanged'));
  expect(snapshots.filter((text) => String(text).endsWith('created'))).toEqual(['1; created', '2; created']);
});
