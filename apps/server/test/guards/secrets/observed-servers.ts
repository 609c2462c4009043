import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, inject, onTestFinished } from 'vitest';
import { compiled } from '../../../../../tools/services/compiled.ts';

type Env = Readonly<Record<string, string>>;

/** A server and a worker as separate processes, with all their output, traces and metrics. */
export interface Observed {
  /** Stops them; their output is complete after that. */
  stop(): Promise<{ log: string; traces: string; metrics: string }>;
}

export async function startObserved(env: Env, url: string, metricsPort: number): Promise<Observed> {
  const collector = await startCollector();
  const observed = { ...env, ...collector.env, WAYMARK_LOG_LEVEL: 'debug' };
  const api = launch('api', { ...observed, WAYMARK_METRICS_PORT: String(metricsPort) });
  const worker = launch('worker', observed);
  const status = () =>
    fetch(`${url}/ready`).then(
      (answer) => answer.status,
      () => 0,
    );
  await expect.poll(status, { timeout: 120_000, message: api.output() }).toBe(200);
  return {
    async stop() {
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      await Promise.all([api.stop(), worker.stop()]);
      return { log: api.output() + worker.output(), traces: collector.received(), metrics };
    },
  };
}

function launch(part: 'api' | 'worker', env: Env) {
  const child = spawn(process.execPath, [inject('programs').server, part], {
    env: { ...compiled, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return {
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Receives what is exported over OTLP. */
async function startCollector() {
  const received: Buffer[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '100' },
    received: () => Buffer.concat(received).toString('latin1'),
  };
}
