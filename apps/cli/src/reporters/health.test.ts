import { expect, it } from 'vitest';
import { heartbeatHealth, serveHealth } from './health.ts';

it('answers probes, and no other request', async () => {
  let isHealthy = true;
  const health = await serveHealth({ port: 0, host: '127.0.0.1', isHealthy: () => isHealthy });
  const ask = async (path: string, init?: RequestInit) =>
    (await fetch(`http://127.0.0.1:${health.port}${path}`, init)).status;
  expect(await ask('/healthz')).toBe(200);
  expect(await ask('/healthz', { method: 'HEAD' })).toBe(200);
  isHealthy = false;
  expect(await ask('/healthz')).toBe(503);
  expect(await ask('/')).toBe(404);
  expect(await ask('/healthz', { method: 'POST', body: 'x' })).toBe(404);
  await expect(serveHealth({ port: health.port, host: '127.0.0.1', isHealthy: () => true })).rejects.toThrow(
    'EADDRINUSE',
  );
  await health.close();
  await expect(ask('/healthz')).rejects.toThrow();
});

it('is healthy until the last beat is too old', async () => {
  const health = heartbeatHealth(50);
  expect(health.isHealthy()).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(health.isHealthy()).toBe(false);
  health.beat();
  expect(health.isHealthy()).toBe(true);
});
