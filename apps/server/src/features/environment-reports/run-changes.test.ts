import { expect, it } from 'vitest';
import type { CurrentRun } from '../snapshots/record/current-runs.reads.ts';
import { changesOf } from './run-changes.ts';

const detail = (...timestamps: number[]) => JSON.stringify({ timestamps });
const run = (no: number, name: string, fingerprint: string, ...started: number[]): CurrentRun => ({
  no,
  name,
  fingerprint,
  count: started.length,
  detail: detail(...started),
});
const reported = (name: string, fingerprint: string, ...started: number[]) => ({
  name,
  fingerprint,
  count: started.length,
  detail: detail(...started),
});
const content = (...artifacts: ReturnType<typeof reported>[]) => ({ artifacts, digest: Buffer.alloc(0) });

it('finds what started and what exited', () => {
  const changes = changesOf(
    [run(1, 'web', 'a', 1), run(2, 'db', 'b', 1)],
    content(reported('db', 'b', 1), reported('web', 'c', 2)),
  );
  expect(changes.started.map(({ fingerprint }) => fingerprint)).toEqual(['c']);
  expect(changes.exited.map(({ no }) => no)).toEqual([1]);
  expect(changes.restated).toEqual([]);
});

it('treats the same fingerprint under another name as another artifact', () => {
  const changes = changesOf([run(1, 'web', 'a', 1)], content(reported('web:2', 'a', 1)));
  expect([changes.started.length, changes.exited.length]).toEqual([1, 1]);
});

it('distinguishes changed instance counts from restarts', () => {
  const current = [run(1, 'db', 'b', 1), run(2, 'web', 'a', 1), run(3, 'zip', 'c', 1)];
  const changes = changesOf(
    current,
    content(reported('db', 'b', 1), reported('web', 'a', 1, 2), reported('zip', 'c', 9)),
  );
  expect(changes.restated.map(({ run }) => run.no)).toEqual([2, 3]);
  expect(changes.resized.map(({ run }) => run.no)).toEqual([2]);
});

it('keeps unidentified artifacts under two names apart', () => {
  const changes = changesOf([run(1, 'one', '', 1)], content(reported('one', '', 1), reported('two', '', 1)));
  expect(changes.started.map(({ name }) => name)).toEqual(['two']);
  expect(changes.exited).toEqual([]);
});
