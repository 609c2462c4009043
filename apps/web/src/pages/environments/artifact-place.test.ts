import { expect, it } from 'vitest';
import { placeOf } from './artifact-place.ts';

const NOWHERE = { pods: null, container_task_context: null, serverless_run_context: null, app_context: null };
const pod = (namespace: string) => ({ namespace, creationTimestamp: 0, owners: [] });

it('lists the namespaces of pods, without duplicates and not too many', () => {
  expect(placeOf({ ...NOWHERE, pods: { a: pod('shop'), b: pod('shop') } })).toBe('namespace shop');
  const pods = Object.fromEntries(['d', 'b', 'a', 'c', 'e'].map((name) => [name, pod(name)]));
  expect(placeOf({ ...NOWHERE, pods })).toBe('namespaces a, b, c and 2 more');
});

it('describes the place for other kinds of environment', () => {
  const task = { task_arn: 'arn', cluster_name: 'eu', service_name: null };
  expect(placeOf({ ...NOWHERE, container_task_context: task })).toBe('cluster eu');
  const run = { kind: 'job', revision_name: null, service_name: null, job_name: 'nightly' };
  expect(placeOf({ ...NOWHERE, serverless_run_context: run })).toBe('job nightly');
  expect(placeOf(NOWHERE)).toBe('');
});
