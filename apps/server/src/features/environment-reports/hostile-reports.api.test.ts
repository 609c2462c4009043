import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getSnapshot, type Snapshot } from '@waymark/contract';
import { beforeAll, expect, it } from 'vitest';
import { collectGarbage } from '../../../test/collect-garbage.ts';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { startApi } from '../../../test/harness.ts';

// In a file, and thus a process, of its own: memory that other tests leave behind would hide growth.

const MiB = 1024 ** 2;
const api = await startApi();
await givenEnvironment(api, 'prod', 'server');
await givenEnvironment(api, 'pods', 'K8S');
await givenEnvironment(api, 'tasks', 'ECS');

let port = 0;
beforeAll(async () => {
  await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  port = (api.app.http.server.address() as AddressInfo).port;
});

interface Reply {
  readonly status: number;
  readonly body: { message?: string; errors?: Record<string, string> | null };
}

/** Over a real connection, which the server may close before everything is sent. */
function send(env: string, kind: string, body: string | Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let answered = false;
    const request = httpRequest(
      {
        port,
        method: 'PUT',
        path: `/api/v2/environments/acme/${env}/report/${kind}`,
        headers: {
          authorization: `Bearer ${api.org.keys.snapshotter}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response: IncomingMessage) => {
        answered = true;
        text(response).then(
          (content) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(content) as Reply['body'] }),
          reject,
        );
      },
    );
    request.on('error', (error) => {
      if (!answered) reject(error);
    });
    request.end(body);
  });
}

const digest = (n: number): string => n.toString(16).padStart(64, '0');
const server = (artifacts: unknown) => JSON.stringify({ artifacts });
const one = (name: string, hex: unknown, started: unknown = 1) => ({
  digests: { [name]: hex },
  creationTimestamp: started,
});
const many = (count: number) => server(Array.from({ length: count }, (_, i) => one(`a${i}`, digest(i))));

it.each([
  [
    'more than 8 MiB',
    'server',
    () => `{"artifacts":[],"type":"${'x'.repeat(8 * MiB)}"}`,
    413,
    /too large|8 MiB|larger/i,
  ],
  [
    '100,000 artifacts',
    'server',
    () => server(Array(100_000).fill({ digests: {}, creationTimestamp: 1 })),
    400,
    /at most 20000 items/,
  ],
  ['nesting without end', 'server', () => '['.repeat(MiB), 400, /nested more than/],
  ['no JSON', 'server', () => '{"artifacts":[', 400, /not valid JSON/],
  ['no body', 'server', () => '', 400, /must be|is required/],
  ['a digest of 63 digits', 'server', () => server([one('a', digest(1).slice(1))]), 400, /64 hexadecimal/],
  ['a digest of 65 digits', 'server', () => server([one('a', `${digest(1)}0`)]), 400, /64 hexadecimal/],
  ['an empty digest where none may be', 'server', () => server([one('a', '')]), 400, /64 hexadecimal/],
  ['a control character', 'server', () => server([one('a\u0007', digest(1))]), 400, /control characters/],
  ['a U+0000', 'server', () => server([one('a\u0000', digest(1))]), 400, /control characters/],
  [
    'half a character',
    'server',
    () => '{"artifacts":[{"digests":{"\\ud800":""},"creationTimestamp":1}]}',
    400,
    /invalid Unicode|control/,
  ],
  ['a start before time', 'server', () => server([one('a', digest(1), -1)]), 400, /at least 0/],
  ['a start after time', 'server', () => server([one('a', digest(1), 253_402_300_800)]), 400, /seconds since 1970/],
  [
    'a start without end',
    'server',
    () => '{"artifacts":[{"digests":{},"creationTimestamp":1e999}]}',
    400,
    /too large|number/,
  ],
  ['a broken second', 'server', () => server([one('a', digest(1), 1.5)]), 400, /whole number/],
  ['an unknown member', 'server', () => server([{ ...one('a', digest(1)), more: 1 }]), 400, /^Unknown field/],
  ['another type', 'server', () => JSON.stringify({ type: 'docker', artifacts: [] }), 400, /type/],
  [
    'a name of 501 characters',
    'server',
    () => server([one('x'.repeat(501), digest(1))]),
    400,
    /at most 500 characters/,
  ],
])('refuses %s', async (_, kind, body, status, message) => {
  const answer = await send('prod', kind, body());
  expect(answer.status).toBe(status);
  expect(`${answer.body.message} ${Object.values(answer.body.errors ?? {}).join(' ')}`).toMatch(message);
});

it('accepts what is unusual but valid', async () => {
  const odd = [
    one('x'.repeat(500), digest(1), 0),
    one('=cmd()', digest(2), 253_402_300_799),
    one('constructor', digest(3)),
    one('\u{1f680} "\\', digest(4)),
  ];
  expect((await send('prod', 'server', server(odd))).status).toBe(200);
  const answer = await api.call(getSnapshot, { params: { env_name: 'prod', snapshot_expression: '-1' } });
  const names = (answer.body as Snapshot).artifacts.map((artifact) => artifact.name);
  expect(names.sort()).toEqual(odd.map((item) => Object.keys(item.digests)[0]).sort());
});

it('accepts as many artifacts as documented', { timeout: 600_000 }, async () => {
  expect((await send('prod', 'server', many(20_000))).status).toBe(200);
  expect((await send('prod', 'server', many(20_001))).status).toBe(400);
});

it('does not let a small report become huge', async () => {
  const long = 'x'.repeat(1000);
  const task = {
    taskArn: 'x'.repeat(2000),
    cluster_name: long,
    service_name: long,
    digests: Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`a${i}`, ''])),
    creationTimestamp: 1,
  };
  const answer = await send('tasks', 'ECS', server([task]));
  expect(answer).toMatchObject({ status: 400, body: { errors: { artifacts: expect.stringContaining('too much') } } });
});

it('counts a pod that is listed twice once', async () => {
  const pod = { podName: 'p', namespace: 'n', digests: { image: digest(1) }, creationTimestamp: 1, owners: [] };
  expect((await send('pods', 'K8S', server(Array(10_000).fill(pod)))).status).toBe(200);
  const answer = await api.call(getSnapshot, { params: { env_name: 'pods', snapshot_expression: '-1' } });
  expect((answer.body as Snapshot).artifacts).toMatchObject([
    { creationTimestamp: [1], annotation: { was: 0, now: 1 } },
  ]);
});

it('handles many of the largest bodies at once in bounded memory', { timeout: 600_000 }, async () => {
  const body = Buffer.from(many(70_000));
  await send('prod', 'server', body);
  collectGarbage();
  const start = process.memoryUsage.rss();
  let peak = start;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const answers = await Promise.all(Array.from({ length: 24 }, () => send('prod', 'server', body)));
  clearInterval(sampling);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 503]));
  expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThanOrEqual(3);
  // Four bodies of one org are in flight, and one at a time is parsed.
  expect(peak - start).toBeLessThan(400 * MiB);
});
