import type { AddressInfo } from 'node:net';
import { contract } from '@waymark/contract';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { startApi } from '../../../test/harness.ts';
import { invalid } from '../errors.ts';
import { handleProgress, type RunningRequest } from './progress.ts';

const api = await startApi();
const count = contract({
  id: 'count',
  summary: 'Counts',
  tag: 'Test',
  method: 'POST',
  path: '/counts/:org',
  access: 'read',
  params: z.strictObject({ org: z.string() }),
  body: z.strictObject({ to: z.number(), ending: z.enum(['refuse', 'fail', 'wait']).optional() }),
  status: 200,
  reply: z.object({ sum: z.number() }),
  errors: [400],
});

const endings: unknown[] = [];
let waiting = 0;

async function end({ stopped }: RunningRequest): Promise<never> {
  waiting += 1;
  await new Promise((resolve) => stopped.addEventListener('abort', resolve));
  waiting -= 1;
  endings.push((stopped.reason as Error).message);
  throw stopped.reason;
}

handleProgress(api.app, count, async (_, { body }, running) => {
  for (let at = 1; at <= body.to; at++) await running.tell({ at });
  if (body.ending === 'refuse') throw invalid('refused');
  if (body.ending === 'fail') throw new Error('broken');
  if (body.ending === 'wait') await end(running);
  return { sum: body.to, secret: 'column' } as never;
});

let url = '';
beforeAll(async () => {
  await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(api.app.http.server.address() as AddressInfo).port}/api/v2/counts/${api.org.name}`;
});

const send = (body: object, accept: string, signal?: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.org.keys.reader}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
const NDJSON = 'application/json;q=0.5, application/x-ndjson';

it('answers with JSON, or with lines where they are asked for', async () => {
  const plain = await send({ to: 2 }, '*/*');
  expect(plain.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await plain.json()).toEqual({ sum: 2 });
  const lines = await send({ to: 2 }, NDJSON);
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
  expect(lines.headers.get('x-request-id')).not.toBeNull();
  expect(await lines.text()).toBe('{"progress":{"at":1}}\n{"progress":{"at":2}}\n{"sum":2}\n');
  expect(await (await send({ to: 0 }, NDJSON)).text()).toBe('{"sum":0}\n');
});

it('refuses as ever before the first line, and breaks off after it', async () => {
  for (const accept of ['*/*', NDJSON]) {
    expect((await send({ to: 0, ending: 'refuse' }, accept)).status).toBe(400);
    expect((await send({ to: 0, ending: 'fail' }, accept)).status).toBe(500);
  }
  expect((await send({ to: 1, ending: 'fail' }, '*/*')).status).toBe(500);
  const begun = send({ to: 1, ending: 'fail' }, NDJSON).then((response) => response.text());
  await expect(begun).rejects.toThrow();
});

it.each(['*/*', NDJSON])('stops the work when the client leaves: %s', async (accept) => {
  endings.length = 0;
  const leaving = new AbortController();
  const answer = send({ to: 1, ending: 'wait' }, accept, leaving.signal).then((response) => response.text());
  const left = expect(answer).rejects.toThrow();
  await expect.poll(() => waiting).toBe(1);
  leaving.abort();
  await left;
  await expect.poll(() => endings).toEqual(['The client disconnected']);
});

it('stops the work when the server does', async () => {
  endings.length = 0;
  const answer = send({ to: 0, ending: 'wait' }, '*/*');
  await expect.poll(() => waiting).toBe(1);
  api.app.drain();
  expect((await answer).status).toBe(503);
  expect(endings).toEqual(['The server is shutting down']);
  expect((await send({ to: 3 }, '*/*')).status).toBe(200);
});
