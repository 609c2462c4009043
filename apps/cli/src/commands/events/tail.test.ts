import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FeedEvent, putFlow } from '@waymark/contract';
import { afterAll, expect, it } from 'vitest';
import { givenEnvironment } from '../../../../server/test/given/environments.ts';
import { attest, givenArtifact, givenFlow } from '../../../../server/test/given/evidence.ts';
import { givenFeed } from '../../../../server/test/given/feed.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenCli, givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const feed = givenFeed(api);

/** Creates flows, one after another, until the other promise settles. */
async function whileFlowsAreMade<T>(other: Promise<T>): Promise<T> {
  let isOver = false;
  const done = other.finally(() => {
    isOver = true;
  });
  for (let count = 1; !isOver; count++) {
    await api.call(putFlow, { body: { name: `flow-${Date.now()}-${count}` } });
    await feed.untilDone();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return done;
}

it('prints events as machine-readable lines', async () => {
  const ran = await whileFlowsAreMade(cli.run(['events', 'tail', '--type', 'flow.*', '--limit', '2', '-o', 'ndjson']));

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const events = ran.stdout
    .trim()
    .split('\n')
    .map((line) => FeedEvent.parse(JSON.parse(line)));
  expect(events).toHaveLength(2);
  expect(events.every(({ type }) => type.startsWith('flow.'))).toBe(true);
});

it('prints lines for people, of the chosen types', async () => {
  const ran = await whileFlowsAreMade(cli.run(['events', 'tail', '--about', 'flow', '--limit', '1', '--utc']));

  expect(ran.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}flow created +flow-\d+-\d+ {2}by acme-admin\n$/);
});

it('names the subject of evidence, with its verdict', async () => {
  await givenFlow(api, 'shop');
  await givenEnvironment(api, 'prod');
  await feed.untilDone();
  const tail = (kind: string) => cli.run(['events', 'tail', '--about', kind, '--after', '0', '--limit', '1']);
  await givenArtifact(api, 'shop', 'a', { trail_name: 'release-1' });
  await attest(api, 'shop', 'release-1', { attestation_name: 'tests', is_compliant: false });
  await feed.untilDone();

  expect((await tail('attestation')).stdout).toMatch(
    / {2}attestation recorded +tests \(generic\) of shop\/release-1 {2}✕ NON-COMPLIANT {2}by acme-admin\n$/,
  );
  expect((await tail('artifact')).stdout).toMatch(/ {2}artifact reported +app-a\.tgz a{12} of shop\/release-1 {2}by /);
  expect((await tail('environment')).stdout).toMatch(/ {2}environment created +prod {2}by acme-admin\n$/);
  expect((await tail('trail')).stdout).toMatch(/ {2}trail begun +trail [0-9a-f-]{36} {2}by acme-admin\n$/);
});

it('looks up a limited number of names, and shows ids beyond them', async () => {
  let lookups = 0;
  const event = (id: number) =>
    `id: ${id}\nevent: flow.created\ndata: ${JSON.stringify({ id: String(id), type: 'flow.created', subject: { kind: 'flow', id: `f${id}` }, actor: 'ada', recorded_at: 1 })}\n\n`;
  const server = createServer(({ url }, response) => {
    if (url?.includes('/events/')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(Array.from({ length: 100 }, (_, at) => event(at + 1)).join(''));
      return;
    }
    lookups += 1;
    response.writeHead(500).end('{"message":"no"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.closeAllConnections());
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const one = givenCli({ WAYMARK_HOST: host, WAYMARK_ORG: 'acme', WAYMARK_TOKEN: 'wmk_x' });

  const ran = await one.run(['events', 'tail', '--limit', '100'], { now: () => new Date(0) });

  expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('flow f100  by ada') });
  expect(lookups).toBe(20);
  server.close();
});

it('ends with 0 when it is interrupted', async () => {
  const stop = new AbortController();
  const running = cli.run(['events', 'tail', '--type', 'nothing'], { signal: stop.signal });
  setTimeout(() => stop.abort(), 500);

  expect(await running).toEqual({ code: 0, stdout: '', stderr: '' });
});

it('resumes when the connection breaks, and reports a possible gap', async () => {
  const asked: (string | undefined)[] = [];
  const event = (id: number) =>
    `id: ${id}\nevent: flow.created\ndata: ${JSON.stringify({ id: String(id), type: 'flow.created', subject: { kind: 'flow', id: 'x' }, actor: 'ada', recorded_at: 1 })}\n\n`;
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (asked.length === 1) response.end(`retry: 10\n\n${event(7)}`);
    else response.write(`event: reset\ndata: {}\n\n${event(8)}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.closeAllConnections());
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const one = givenCli({ WAYMARK_HOST: host, WAYMARK_ORG: 'acme', WAYMARK_TOKEN: 'wmk_x' });

  const ran = await one.run(['events', 'tail', '--limit', '2', '--after', '6', '-o', 'ndjson']);

  expect(asked).toEqual(['6', '7']);
  expect(ran.stdout.trim().split('\n')).toHaveLength(2);
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('Some events may be missing') });
  server.close();
});

it('refuses unknown formats and types', async () => {
  expect(await cli.run(['events', 'tail', '--json'])).toMatchObject({ code: 2 });
  expect(await cli.run(['events', 'tail', '--limit', '0'])).toMatchObject({ code: 2 });
  expect(await cli.run(['events', 'tail', '--about', 'No Such'])).toMatchObject({ code: 2 });
});
