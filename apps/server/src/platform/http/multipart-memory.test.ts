import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { contract } from '@waymark/contract';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { collectGarbage } from '../../../test/collect-garbage.ts';
import { startApi } from '../../../test/harness.ts';
import { handle } from './handle.ts';

const MiB = 1024 ** 2;
const UPLOADS = 20;
const SIZE = 10 * MiB;

const api = await startApi();
const upload = contract({
  id: 'upload',
  summary: 'Takes a file for the evidence store',
  tag: 'Test',
  method: 'PUT',
  path: '/upload/:org',
  access: 'record_evidence',
  params: z.strictObject({ org: z.string() }),
  body: z.strictObject({}),
  form: { json: 'data', file: { name: 'file', description: 'Evidence', store: true } },
  status: 200,
  reply: z.number(),
  errors: [400, 413],
});
handle(api.app, upload, async (_, { file }) => file?.size ?? 0);

let port = 0;
beforeAll(async () => {
  await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  port = (api.app.http.server.address() as AddressInfo).port;
  await send(0, MiB);
});

const sendMany = () => Promise.all(Array.from({ length: UPLOADS }, (_, i) => send(i, SIZE)));

it('takes many files at once in little memory', { timeout: 600_000 }, async () => {
  collectGarbage();
  const start = process.memoryUsage.rss();
  let most = start;
  const sampling = setInterval(() => {
    collectGarbage();
    most = Math.max(most, process.memoryUsage.rss());
  }, 200);

  expect(await sendMany()).toEqual(Array(UPLOADS).fill(SIZE));

  clearInterval(sampling);
  expect(most - start).toBeLessThan(120 * MiB);
});

it('answers others while many files arrive', { timeout: 600_000 }, async () => {
  let underWay = true;
  const uploads = sendMany().finally(() => {
    underWay = false;
  });
  // Counted, not timed: a server blocked by the uploads answers once, however busy the machine is otherwise.
  let answers = 0;
  while (underWay) {
    expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(200);
    answers += 1;
  }
  await uploads;

  expect(answers).toBeGreaterThan(5);
});

async function send(index: number, size: number): Promise<unknown> {
  const sent = httpRequest({
    ...{ host: '127.0.0.1', port, agent: false, method: 'PUT', path: '/api/v2/upload/acme' },
    headers: { authorization: `Bearer ${api.org.keys.member}`, 'content-type': 'multipart/form-data; boundary=b' },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(formOf(index, size)), sent);
  const [response] = await answered;
  return json(response);
}

async function* formOf(index: number, size: number): AsyncGenerator<Buffer> {
  yield Buffer.from('--b\r\nContent-Disposition: form-data; name="data"\r\n\r\n{}\r\n');
  yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n');
  const chunk = Buffer.alloc(64 * 1024, index);
  for (let sent = 0; sent < size; sent += chunk.length) yield chunk;
  yield Buffer.from('\r\n--b--\r\n');
}
