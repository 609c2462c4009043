import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { endpoints } from '../../../../../tools/services/endpoints.ts';
import { isFull } from '../../../../../tools/test-size.ts';
import { givenS3 } from '../../../test/blobs/drivers.ts';
import { openObjects } from './open-objects.ts';

const KILLS = isFull ? 50 : 5;
const SIZE = 4 * 1024 ** 2;

/** Creates and overwrites objects of one byte, repeated, until it is killed. */
const WRITER = `
  import { directoryObjects } from ${JSON.stringify(join(import.meta.dirname, 'directory-objects.ts'))};
  const objects = directoryObjects({ root: process.argv[1] });
  for (let n = 0; ; n++) {
    const content = Buffer.alloc(${SIZE}, n);
    await objects.create('ledger/' + process.pid + '/' + n, content);
    if (n === 0) process.stdout.write('created');
    await objects.overwrite('ledger/latest', content);
  }`;

it(`leaves whole files or none when a writer is killed ${KILLS} times`, async () => {
  const root = await mkdtemp(join(tmpdir(), 'waymark-objects-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (let time = 0; time < KILLS; time++) {
    const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(writer.stdout, 'data');
    await sleep(Math.random() * 80);
    writer.kill('SIGKILL');
    await once(writer, 'exit');
  }
  const files = await readdir(join(root, 'ledger'), { recursive: true, withFileTypes: true });
  const contents = files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name)));
  for (const content of await Promise.all(contents)) {
    expect(content.length).toBe(SIZE);
    expect(content.equals(Buffer.alloc(SIZE, content[0]))).toBe(true);
  }
  expect(contents.length).toBeGreaterThanOrEqual(KILLS);
});

it('leaves no object in the bucket when the connection breaks in the middle of it', async () => {
  const test = await givenS3();
  onTestFinished(test.close);
  const endpoint = await givenCutConnection(SIZE / 2);
  const cut = openObjects({ kind: 's3', ...endpoints().s3, bucket: test.bucket, endpoint });

  await expect(cut.create('ledger/x/cut', Buffer.alloc(SIZE))).rejects.toMatchObject({ code: 'unavailable' });

  expect(await test.everything()).toEqual([]);
  expect(await test.objects.create('ledger/x/cut', Buffer.from('again'))).toBe(true);
});

/** A way to the server that breaks every connection after so many bytes. */
async function givenCutConnection(after: number): Promise<string> {
  const target = new URL(endpoints().s3.endpoint);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let passed = 0;
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined));
    client.on('data', (chunk) => {
      passed += chunk.length;
      if (passed < after) upstream.write(chunk);
      else for (const socket of [client, upstream]) socket.destroy();
    });
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}
