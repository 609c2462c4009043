import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { endpoints } from '../../../../../tools/services/endpoints.ts';
import { givenS3 } from '../../../test/blobs/drivers.ts';
import { faultProxy } from '../../../test/blobs/fault-proxy.ts';
import { newId } from '../ids.ts';
import { s3Blobs } from './s3-blobs.ts';
import type { S3BlobOptions } from './s3-client.ts';

const limits = { maxBytes: 100 * 1024 ** 2 };
const small = randomBytes(1000);
const large = randomBytes(11 * 1024 ** 2);
const unavailable = { code: 'unavailable' };

let test: Awaited<ReturnType<typeof givenS3>>;
beforeAll(async () => {
  test = await givenS3();
});
afterAll(() => test.close());

const blobsWith = (changed: Partial<S3BlobOptions>) => s3Blobs({ ...endpoints().s3, bucket: test.bucket, ...changed });

async function givenFault(fault: (asked: IncomingMessage) => number | undefined) {
  const proxy = await faultProxy(endpoints().s3.endpoint, fault);
  onTestFinished(proxy.close);
  return blobsWith({ endpoint: proxy.endpoint });
}

async function* bodyOf(content: Buffer) {
  yield content;
}

it.each([
  ['a wrong secret', { secretKey: 'not-the-secret' }],
  ['an unknown key', { accessKey: 'nobody' }],
  ['a bucket that is not there', { bucket: 'not-there' }],
  ['a server that is down', { endpoint: 'http://127.0.0.1:9' }],
])('is not ready and takes nothing with %s', async (_what, changed) => {
  const blobs = blobsWith(changed);

  await expect(blobs.check()).rejects.toMatchObject(unavailable);
  await expect(blobs.put(newId(), bodyOf(small), limits)).rejects.toMatchObject(unavailable);
  await expect(blobs.put(newId(), bodyOf(large), limits)).rejects.toMatchObject(unavailable);
  await expect(blobs.open(newId(), '0'.repeat(64))).rejects.toMatchObject(unavailable);
  await expect(blobs.stat(newId(), '0'.repeat(64))).rejects.toMatchObject(unavailable);
  await expect(blobs.sweep(new Date())).rejects.toMatchObject(unavailable);
  expect(await test.everything()).toEqual([]);
});

it.each([
  ['a part', (asked: IncomingMessage) => asked.url?.includes('partNumber=2')],
  ['the completion', (asked: IncomingMessage) => asked.method === 'POST' && asked.url?.includes('uploadId=')],
  ['the copy', (asked: IncomingMessage) => 'x-amz-copy-source' in asked.headers],
])('leaves nothing behind when the server fails %s', async (_what, fails) => {
  const blobs = await givenFault((asked) => (fails(asked) ? 403 : undefined));

  await expect(blobs.put(newId(), bodyOf(large), limits)).rejects.toMatchObject(unavailable);

  expect(await test.everything()).toEqual([]);
});

it.each([
  ['small', small, (asked: IncomingMessage) => asked.method === 'PUT'],
  ['large', large, (asked: IncomingMessage) => 'x-amz-copy-source' in asked.headers],
])('tries again when another writer of the same %s file is under way', async (_what, content, conflicts) => {
  let left = 2;
  const blobs = await givenFault((asked) => (conflicts(asked) && left-- > 0 ? 409 : undefined));

  const org = newId();
  const stored = await blobs.put(org, bodyOf(content), limits);

  expect(stored.created).toBe(true);
  expect(await test.everything()).toEqual([stored.sha256]);
  await test.blobs.remove(org, stored.sha256);
});

it('gives up on another writer that never ends', async () => {
  const blobs = await givenFault((asked) => (asked.method === 'PUT' ? 409 : undefined));

  await expect(blobs.put(newId(), bodyOf(small), limits)).rejects.toMatchObject(unavailable);
});

it('still reports a file as stored when only the cleanup failed', async () => {
  const blobs = await givenFault((asked) => (asked.method === 'DELETE' ? 403 : undefined));

  const org = newId();
  const stored = await blobs.put(org, bodyOf(large), limits);

  expect(stored.created).toBe(true);
  expect(await test.everything()).toHaveLength(2);
  expect(await test.blobs.sweep(new Date(Date.now() + 60_000))).toBe(1);
  expect(await test.everything()).toEqual([stored.sha256]);
});
