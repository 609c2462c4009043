import { fastify } from 'fastify';
import { findFreePort } from '../services/port.ts';
import { type Running, startNode } from './installation.ts';

const BODY_LIMIT = 8 * 1024 * 1024;

/** The minimum work of a server of the same framework with a report: receive it, parse it, answer. */
export async function startEcho(): Promise<{ url: string; echo: Running }> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const echo = await startNode([import.meta.filename], { ...process.env, ECHO_PORT: String(port) }, url);
  return { url, echo };
}

async function serve(port: number): Promise<void> {
  const app = fastify({ bodyLimit: BODY_LIMIT });
  app.get('/ready', async () => 'ready');
  app.put('/*', async () => 'Nothing changed');
  await app.listen({ host: '127.0.0.1', port });
}

if (import.meta.main) await serve(Number(process.env['ECHO_PORT']));
