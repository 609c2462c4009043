import { expect, it } from 'vitest';
import { startNats, stopNats } from '../../../../tools/services/nats.ts';
import { startPostgres, stopPostgres } from '../../../../tools/services/postgres.ts';
import { givenInstallation } from './installation.ts';
import { givenNats, givenPostgres } from './private-services.ts';

interface Status {
  readonly status: string;
  readonly components: Record<string, { readonly status: string }>;
}

it('/status says what is gone while NATS or PostgreSQL is, and that it is back', async () => {
  const [nats, postgres] = [await givenNats(), await givenPostgres()];
  const site = await givenInstallation({ natsUrl: nats.url, databaseUrl: postgres.url });
  await site.startApi();
  await site.startWorker();
  const ask = (accept: string) => fetch(`${site.url}/status`, { headers: { accept } });
  const states = async () => {
    const answer = await ask('application/json');
    const { status, components } = (await answer.json()) as Status;
    const each = Object.entries(components).map(([name, component]) => `${name} ${component.status}`);
    return [`${answer.status} ${status}`, ...each];
  };
  const well = [
    '200 operational',
    'database operational',
    'evidence_files operational',
    'stream operational',
    'worker operational',
  ];
  await expect.poll(states).toEqual(well);

  await stopNats(nats.server);
  await expect.poll(states).toEqual(well.with(0, '200 degraded').with(3, 'stream unavailable'));
  await startNats(nats.server);
  await expect.poll(states).toEqual(well);

  await stopPostgres(postgres.cluster, 'immediate');
  await expect
    .poll(states)
    .toEqual(well.with(0, '503 unavailable').with(1, 'database unavailable').with(4, 'worker unknown'));
  const page = await ask('text/html');
  expect(page.status).toBe(503);
  expect(page.headers.get('retry-after')).toBe('5');
  expect(await page.text()).toContain('Outage: requests cannot be served');

  await startPostgres(postgres.cluster);
  await expect.poll(states).toEqual(well);
});
