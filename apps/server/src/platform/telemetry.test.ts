import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { expect, inject, it, onTestFinished } from 'vitest';
import { endpoints } from '../../../../tools/services/endpoints.ts';
import { findFreePort } from '../../../../tools/services/port.ts';
import { startApi } from '../../test/harness.ts';

const api = await startApi();

/** A collector that records what it receives. */
async function startCollector(): Promise<{ url: string; received: Buffer[] }> {
  const received: Buffer[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push(body);
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** The variables that the page about observability shows. */
function documentedVariables(): Record<string, string> {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/observability.md'), 'utf8');
  const lines = page.match(/^OTEL_\w+=.+$/gm) ?? [];
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

interface Traces {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: { readonly spans: { name: string; traceId: string; parentSpanId?: string }[] }[];
  }[];
}

it('sends traces as JSON with the variables of docs/observability.md, each statement below its request', async () => {
  const collector = await startCollector();
  const port = await findFreePort();
  const variables = documentedVariables();
  expect(Object.keys(variables)).toHaveLength(5);
  const server = spawn(process.execPath, [inject('programs').server, 'api'], {
    env: {
      PATH: process.env['PATH'],
      ...variables,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      WAYMARK_REGION: 'eu',
      WAYMARK_PUBLIC_URL: 'http://waymark.test',
      WAYMARK_PORT: String(port),
      WAYMARK_LOG_LEVEL: 'silent',
      WAYMARK_DATABASE_URL: api.url,
      WAYMARK_BLOB_DIR: '/tmp',
    },
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}/api/v2/flows/acme`;
  const options = {
    method: 'PUT',
    headers: { authorization: `Bearer ${api.org.keys.admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'traced-as-json' }),
  };
  const put = () =>
    fetch(url, options).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(put).toBe(201);

  const traces = () => collector.received.map((body) => JSON.parse(body.toString()) as Traces);
  const spans = () =>
    traces()
      .flatMap(({ resourceSpans }) => resourceSpans.flatMap((of) => of.scopeSpans))
      .flatMap((of) => of.spans);
  await expect.poll(() => spans().map(({ name }) => name)).toContain('pg put_flow');
  const statement = spans().find(({ name }) => name === 'pg put_flow');
  const together = () => spans().filter(({ traceId }) => traceId === statement?.traceId);
  await expect.poll(() => together().filter(({ parentSpanId }) => !parentSpanId)).toHaveLength(1);
  expect(statement?.parentSpanId).toBeTruthy();
  const attributes = traces()[0]?.resourceSpans[0]?.resource.attributes ?? [];
  const named = Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
  expect(named).toMatchObject({ 'service.name': 'waymark', 'deployment.environment.name': 'production' });
});

it('sends traces of requests and statements to the configured endpoint, serves metrics, and keeps keys out of both and the log', async () => {
  const collector = await startCollector();
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const server = spawn(process.execPath, [inject('programs').server, 'api'], {
    env: {
      PATH: process.env['PATH'],
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      WAYMARK_REGION: 'eu',
      WAYMARK_PUBLIC_URL: 'http://waymark.test',
      WAYMARK_PORT: String(port),
      WAYMARK_METRICS_PORT: String(metricsPort),
      WAYMARK_DATABASE_URL: api.url,
      WAYMARK_NATS_URL: endpoints().natsUrl,
      WAYMARK_BLOB_DIR: '/tmp',
    },
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const log = text(server.stdout);
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(
      () =>
        fetch(`${url}/ready`).then(
          (answer) => answer.status,
          () => 0,
        ),
      { timeout: 180_000 },
    )
    .toBe(200);
  const put = await fetch(`${url}/api/v2/flows/acme`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${api.org.keys.admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'traced' }),
  });
  expect(put.status).toBe(201);
  expect((await fetch(`${url}/sign-in/link?token=a-token-of-a-link`)).status).toBe(404);

  const sent = () => Buffer.concat(collector.received).toString('latin1');
  await expect.poll(sent).toContain('pg put_flow');
  expect(sent()).toContain('/api/v2/flows/:org');
  await expect.poll(sent).toContain('/sign-in/link');
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toMatch(
    /http_server_request_duration_seconds_count\{method="PUT",route="\/api\/v2\/flows\/:org",status="201"\} 1/,
  );

  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([0, null]);
  const lines = (await log).trim().split('\n');
  expect(lines.filter((line) => line.includes('"msg":"request"') && line.includes('"PUT"'))).toHaveLength(1);
  for (const place of [sent(), metrics, await log]) {
    expect(place).not.toContain(api.org.keys.admin);
    expect(place).not.toContain('a-token-of-a-link');
  }
});
