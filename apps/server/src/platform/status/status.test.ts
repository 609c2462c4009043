import { expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';
import { directoryBlobs } from '../blobs/directory-blobs.ts';
import { newId } from '../ids.ts';
import { beat, release } from '../journal/leases.ts';
import { VERSION } from '../version.ts';
import { createStatusReader } from './installation-status.ts';

const queries: string[] = [];
const api = await startApi({ onQuery: (text) => queries.push(text) });
const json = { accept: 'application/json' };
const worker = newId();
await beat(api.db, worker, 3_600);

it('shows anyone that all works, without a cookie and without names', async () => {
  const page = await api.inject({ method: 'GET', url: '/status', headers: { accept: 'text/html,*/*' } });
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers).not.toHaveProperty('set-cookie');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  for (const text of ['All systems operational', 'Database', 'Evidence files', 'Event stream', 'Not used', VERSION]) {
    expect(page.body).toContain(text);
  }
  for (const secret of ['acme', api.url, new URL(api.url).pathname.slice(1), 'waymark-api-blobs']) {
    expect(page.body).not.toContain(secret);
  }
});

it('answers programs with the same as JSON', async () => {
  const answer = await api.inject({ method: 'GET', url: '/status', headers: json });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    status: 'operational',
    version: VERSION,
    checked_at: api.clock.now.getTime() / 1000,
    forwarding: 'none',
    components: {
      database: { status: 'operational' },
      evidence_files: { status: 'operational' },
      stream: { status: 'not_configured' },
      worker: { status: 'operational', lag_seconds: expect.any(Number) },
    },
  });
});

it('tells a caller behind a proxy that the proxy is not trusted', async () => {
  const headers = { ...json, 'x-forwarded-for': '203.0.113.7' };
  const { body } = await api.inject({ method: 'GET', url: '/status', headers });
  expect(body).toMatchObject({ forwarding: 'ignored' });
});

it('asks the database a few times in 5 seconds, however many strangers call', async () => {
  queries.length = 0;
  const began = performance.now();
  await Promise.all(Array.from({ length: 2_000 }, () => api.inject({ method: 'GET', url: '/status' })));
  const periods = 1 + Math.ceil((performance.now() - began) / 5_000);
  // A probe, the check of the cluster and the state of workers.
  expect(queries.length).toBeLessThanOrEqual(3 * periods);
});

it('asks once for all who call while it asks', async () => {
  const read = createStatusReader(api.parts);
  queries.length = 0;
  const answers = await Promise.all(Array.from({ length: 100 }, read));
  expect(new Set(answers).size).toBe(1);
  expect(queries.length).toBeLessThanOrEqual(3);
});

it('is degraded when evidence files cannot be stored', async () => {
  const blobs = directoryBlobs({ root: `${import.meta.filename}/inside` });
  const { status, components } = await createStatusReader({ ...api.parts, blobs })();
  expect(status).toBe('degraded');
  expect(components.evidence_files).toEqual({
    status: 'unavailable',
    detail: 'Evidence files cannot be stored or read.',
  });
});

it('is degraded when NATS was never reached', async () => {
  const { status, components } = await createStatusReader({ ...api.parts, stream: { current: () => undefined } })();
  expect([status, components.stream.status]).toEqual(['degraded', 'unavailable']);
});

it('does not wait for what never answers', async () => {
  const blobs = { ...api.parts.blobs, check: () => new Promise<void>(() => undefined) };
  const { status, components } = await createStatusReader({ ...api.parts, blobs })();
  expect([status, components.evidence_files.status]).toEqual(['degraded', 'unavailable']);
});

it('is degraded while no worker runs', async () => {
  await release(api.db, worker);
  const { status, components } = await createStatusReader(api.parts)();
  expect(status).toBe('degraded');
  expect(components.worker).toMatchObject({
    status: 'unavailable',
    detail: 'No worker is running: notifications and re-evaluations are delayed.',
  });
});
