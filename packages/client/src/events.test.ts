import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { hangUp, html, instantPace, json, neverAnswer, startFaultyServer } from '../test/faulty-server.ts';
import { streamThings } from '../test/operations.ts';
import { createPacedClient } from './client.ts';
import { followEvents } from './events.ts';
import { type Retry, settingsFrom } from './options.ts';

const server = await startFaultyServer();
afterAll(server.close);
const retries: Retry[] = [];
const options = { baseUrl: server.baseUrl, apiKey: 'k', onRetry: (retry: Retry) => retries.push(retry) };
const client = createPacedClient(options, instantPace());

const opened = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
const event = (n: number) => `id: ${n}\nevent: made\ndata: {"n":${n}}\n\n`;
const sends =
  (text: string, then: 'end' | 'destroy' | 'stay' = 'end') =>
  (response: ServerResponse) => {
    opened(response).write(text, () => {
      if (then !== 'stay') response[then]();
    });
  };
const made = (n: number) => ({ id: String(n), event: 'made', data: { n } });
const positions = () => server.received.map(({ headers }) => headers['last-event-id']);

async function take(count: number, source: AsyncIterable<unknown>): Promise<unknown[]> {
  const taken: unknown[] = [];
  for await (const item of source) if (taken.push(item) === count) break;
  return taken;
}

describe('events', () => {
  it('are delivered as they arrive', async () => {
    server.behave(sends(`\n: alive\n\n${event(1)}${event(2)}`, 'stay'));
    expect(await take(2, client.events(streamThings, {}))).toEqual([made(1), made(2)]);
    expect(server.received[0]?.headers).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer k' });
  });

  it('resume where a connection ended or broke, however long that takes', async () => {
    const gone = Array.from({ length: 20 }, (_, i) => (i % 2 ? hangUp : html(502)));
    server.behave(sends(event(1)), sends(`${event(2)}id: 3\nevent: ma`, 'destroy'), ...gone, sends(event(3), 'stay'));
    expect(await take(3, client.events(streamThings, {}))).toEqual([made(1), made(2), made(3)]);
    expect(positions()).toEqual([undefined, '1', ...Array(21).fill('2')]);
  });

  it('report the state of the connection', async () => {
    const connected: boolean[] = [];
    server.behave(sends(event(1), 'destroy'), html(502), sends(event(2), 'stay'));
    await take(2, client.events(streamThings, { onConnection: (one) => connected.push(one) }));
    expect(connected).toEqual([true, false, true]);
  });

  it('begin after the last seen one', async () => {
    server.behave(sends(event(8), 'stay'));
    await take(1, client.events(streamThings, { lastEventId: '7' }));
    expect(positions()).toEqual(['7']);
  });

  it('may have been missed: the server says so', async () => {
    server.behave(sends(`id: 9\nevent: reset\ndata: {"position":9}\n\n${event(10)}`));
    const events = await take(2, client.events(streamThings, { lastEventId: '1' }));
    expect(events).toEqual([{ id: '9', event: 'reset', data: null }, made(10)]);
  });

  it('may have been missed: the first connection broke before it had a position', async () => {
    server.behave(sends(': alive\n\n', 'destroy'), sends(event(10)));
    const events = await take(2, client.events(streamThings, {}));
    expect(events).toEqual([{ id: undefined, event: 'reset', data: null }, made(10)]);
  });

  it("are requested again after the server's delay, which is reported", async () => {
    retries.length = 0;
    server.behave(sends(`retry: 40\n\n${event(1)}`), sends(event(2)));
    await take(2, client.events(streamThings, {}));
    expect(retries).toEqual([{ attempt: 1, waitMs: 60, reason: 'the stream ended', operation: 'streamThings' }]);
  });

  it('end with the refusal when the caller loses access', async () => {
    server.behave(sends(event(1)), json(403, { message: 'no longer' }));
    await expect(take(2, client.events(streamThings, {}))).rejects.toMatchObject({ status: 403 });
  });

  it('of another shape end in an error', async () => {
    server.behave(sends('data: {"n":"x"}\n\n'));
    await expect(take(1, client.events(streamThings, {}))).rejects.toThrow('has another shape at n');
    server.behave(sends('data: <p>\n\n'));
    await expect(take(1, client.events(streamThings, {}))).rejects.toThrow('is not one of the API');
  });

  it('of a server that never answered end after the usual attempts', async () => {
    server.behave(hangUp);
    await expect(take(1, client.events(streamThings, {}))).rejects.toMatchObject({ attempts: 4 });
  });

  it('end when the caller aborts', async () => {
    server.behave(sends(event(1), 'stay'));
    const leaving = new AbortController();
    const reading = take(2, client.events(streamThings, { signal: leaving.signal }));
    setTimeout(() => leaving.abort(new Error('enough')), 50);
    await expect(reading).rejects.toThrow('enough');
  });

  it('are requested on another connection after an idle timeout', async () => {
    retries.length = 0;
    server.behave(sends(event(1), 'stay'), sends(event(2), 'stay'), neverAnswer);
    const events = followEvents(settingsFrom(options), instantPace(), streamThings, {}, 1_000);
    expect(await take(2, events)).toEqual([made(1), made(2)]);
    expect(retries).toMatchObject([{ reason: 'no sign of life for 1 s' }]);
  });

  it('free the connection when the caller stops', async () => {
    let isClosed: Promise<void> | undefined;
    server.behave((response) => {
      isClosed = new Promise((resolve) => response.once('close', resolve));
      sends(event(1), 'stay')(response);
    });
    await take(1, client.events(streamThings, {}));
    await isClosed;
  });
});
