import { createHmac, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getTargetSecret, testTarget } from '@waymark/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { givenNotification, givenTarget } from '../../../../server/test/given/deliveries.ts';
import { startApi } from '../../../../server/test/harness.ts';
import { givenCli, givenSignedIn } from '../../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(cli.home, name), content);

const received: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
const receiver = createServer((request, response) => {
  void buffer(request).then((body) => {
    received.push({ headers: request.headers, body });
    response.writeHead(202).end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
afterAll(() => receiver.close());
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`;

describe('webhook verify', async () => {
  const target = await givenTarget(api, { sourceId: await givenNotification(api, 1), url: receiverUrl });
  const params = { target_id: target.id };
  await api.call(testTarget, { params });
  const { secret } = (await api.call(getTargetSecret, { params })).body;
  const [sent] = received;
  write('headers.json', JSON.stringify(sent?.headers));
  write(
    'headers.txt',
    Object.entries(sent?.headers ?? {})
      .map(([name, value]) => `${name.toUpperCase()}: ${value}`)
      .join('\r\n'),
  );
  write('body.json', sent?.body ?? '');
  write('changed.json', `${sent?.body} `);
  write('secret.txt', `${secret}\n`);
  const verify = (...line: string[]) =>
    cli.run(['webhook', 'verify', '--headers', 'headers.txt', '--body', 'body.json', ...line]);

  it('accepts messages of the service, by the secret and by the public keys of the org', async () => {
    expect(await verify('--secret-file', 'secret.txt')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✓ Genuine, \d+ s old\n$/),
    });
    expect(await verify('--public-keys')).toMatchObject({ code: 0 });
    expect(await verify('--headers', 'headers.json', '--secret-file', 'secret.txt')).toMatchObject({ code: 0 });
    const variable = { env: { WAYMARK_WEBHOOK_SECRET: secret } };
    const line = ['webhook', 'verify', '--headers', 'headers.txt', '--body', '-', '-o', 'json'];
    expect(JSON.parse((await cli.run(line, { ...variable, stdin: String(sent?.body) })).stdout)).toMatchObject({
      genuine: true,
    });
  });

  it('ends with 3 for another body, another secret, and an old message', async () => {
    const later = { now: () => new Date(Date.now() + 3_600_000) };
    const old = ['webhook', 'verify', '--headers', 'headers.txt', '--body', 'body.json', '--secret-file', 'secret.txt'];
    write('other.txt', `whsec_${randomBytes(32).toString('base64')}`);
    write('none.txt', 'content-type: application/json');

    expect(await verify('--body', 'changed.json', '--secret-file', 'secret.txt')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('no signature matches'),
    });
    expect(await verify('--secret-file', 'other.txt')).toMatchObject({ code: 3 });
    expect(await verify('--headers', 'none.txt', '--secret-file', 'secret.txt')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('webhook-id is missing'),
    });
    expect(await cli.run(old, later)).toMatchObject({ code: 3, stdout: expect.stringContaining('1 h old') });
    expect(await cli.run([...old, '--any-age'], later)).toMatchObject({ code: 0 });
    expect(await cli.run([...old, '--max-age', '2h'], later)).toMatchObject({ code: 0 });
  });

  it('needs a key to verify with, and never shows it', async () => {
    write('key.txt', 'whsec_not base64!');

    expect(await verify()).toMatchObject({ code: 2, stderr: expect.stringContaining('--secret-file') });
    const ran = await verify('--secret-file', 'key.txt');
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.stderr).not.toContain('base64!');
    expect(await verify('--secret-file', 'missing.txt')).toMatchObject({ code: 2 });
  });
});

describe('webhook listen', () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;

  async function listening(...more: string[]) {
    const port = await freePort();
    const stop = new AbortController();
    const one = givenCli({ WAYMARK_WEBHOOK_SECRET: secret });
    const ran = one.run(['webhook', 'listen', '--port', String(port), ...more], { signal: stop.signal });
    const send = (body: string, key = secret) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers: signed(body, key) });
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}/`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(401);
    return {
      send,
      end: () => {
        stop.abort();
        return ran;
      },
    };
  }

  it('prints messages, refuses forged ones, and ends with 0 when it is interrupted', async () => {
    const { send, end } = await listening('-o', 'ndjson');

    expect((await send('{"event_type":"TEST","description":"a test"}')).status).toBe(204);
    expect((await send('{}', `whsec_${randomBytes(32).toString('base64')}`)).status).toBe(401);
    expect((await send('x'.repeat(1024 * 1024 + 1)).catch(() => ({ status: 413 }))).status).toBe(413);

    const { code, stdout, stderr } = await end();
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { genuine: boolean });
    expect(code).toBe(0);
    expect(lines.slice(-2)).toMatchObject([
      { genuine: true, status: 204, body: { event_type: 'TEST' } },
      { genuine: false, status: 401 },
    ]);
    expect(stdout + stderr).not.toContain(secret);
  });

  it('forwards genuine messages, and answers as the receiver does', async () => {
    received.length = 0;
    const { send, end } = await listening('--forward-to', receiverUrl);

    expect((await send('{"event_type":"TEST","description":"a\\u001b[31m test"}')).status).toBe(202);

    expect(received).toMatchObject([{ headers: { 'webhook-id': 'msg-1' } }]);
    const { stdout } = await end();
    expect(stdout).toMatch(/ {2}✓ {2}202 {2}TEST {2}a \[31m test\n$/);
  });

  it('refuses formats that need an end, and a port in use', async () => {
    const { port } = receiver.address() as AddressInfo;

    expect(await givenCli().run(['webhook', 'listen', '-o', 'json'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('-o ndjson'),
    });
    expect(await givenCli().run(['webhook', 'listen', '--port', String(port)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('EADDRINUSE'),
    });
  });

  function signed(body: string, key: string): Record<string, string> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const bytes = Buffer.from(key.slice('whsec_'.length), 'base64');
    const mac = createHmac('sha256', bytes).update(`msg-1.${timestamp}.${body}`).digest('base64');
    return { 'webhook-id': 'msg-1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` };
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
