import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectRetentionCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataDir, endpoints } from '../../../../../tools/services/endpoints.ts';
import { findFreePort } from '../../../../../tools/services/port.ts';
import { type S3Server, startS3, wipeS3 } from '../../../../../tools/services/s3.ts';
import { newId } from '../ids.ts';
import { openObjects } from './open-objects.ts';
import { type S3BlobOptions, s3Client } from './s3-client.ts';
import { findObjectLock } from './s3-object-lock.ts';

const DAYS = 30;
const DAY_MS = 24 * 3_600_000;
let server: S3Server;

beforeAll(async () => {
  const name = `locked-s3-${process.pid}`;
  const dir = join(dataDir, name);
  server = { name, port: await findFreePort(), dir, versionsDir: `${dir}-versions` };
  await startS3(server);
});
afterAll(async () => {
  await wipeS3(server);
  await rm(server.versionsDir ?? '', { recursive: true, force: true });
});

async function givenBucket({ locked }: { locked: boolean }): Promise<S3BlobOptions> {
  const bucket = `locked-${newId()}`;
  const options = { ...endpoints().s3, endpoint: `http://127.0.0.1:${server.port}`, bucket };
  await s3Client(options).send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: locked }));
  return { ...options, objectLockDays: DAYS };
}

it('keeps what was created from everyone until its time has passed', async () => {
  const options = await givenBucket({ locked: true });
  const objects = openObjects({ kind: 's3', ...options });
  const s3 = s3Client(options);
  const Bucket = options.bucket;
  const Key = 'ledger/1/checkpoint/1';
  expect(await objects.create(Key, Buffer.from('first'))).toBe(true);
  expect(await objects.create(Key, Buffer.from('forged'))).toBe(false);

  const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
  const VersionId = Versions[0]?.VersionId;
  const denied = { cause: { name: 'AccessDenied' } };
  await expect(s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))).rejects.toMatchObject(denied);
  for (const [Mode, days] of [
    ['COMPLIANCE', DAYS - 1],
    ['GOVERNANCE', DAYS],
  ] as const) {
    const Retention = { Mode, RetainUntilDate: new Date(Date.now() + days * DAY_MS) };
    const command = new PutObjectRetentionCommand({ Bucket, Key, VersionId, Retention });
    await expect(s3.send(command), Mode).rejects.toMatchObject(denied);
  }
  expect((await objects.read(Key))?.toString()).toBe('first');

  // A version that hides it does not remove it.
  await objects.overwrite(Key, Buffer.from('second'));
  await objects.remove(Key);
  expect(await objects.read(Key)).toBeUndefined();
  const after = await s3.send(new ListObjectVersionsCommand({ Bucket }));
  expect(after.Versions?.map((version) => version.VersionId)).toContain(VersionId);
  expect(Versions[0]?.LastModified).toBeDefined();
});

it('is found out before it is used', async () => {
  expect(await findObjectLock(await givenBucket({ locked: true }))).toEqual({ kind: 'offered' });
  const without = await givenBucket({ locked: false });
  expect(await findObjectLock(without)).toEqual({ kind: 'off' });
  await s3Client(without).send(
    new PutBucketVersioningCommand({ Bucket: without.bucket, VersioningConfiguration: { Status: 'Enabled' } }),
  );
  expect(await findObjectLock(without)).toEqual({ kind: 'off' });
  expect(await findObjectLock({ ...without, secretKey: 'wrong' })).toEqual({ kind: 'unknown' });
  await expect(openObjects({ kind: 's3', ...without }).create('ledger/a', Buffer.from('a'))).rejects.toMatchObject({
    code: 'unavailable',
  });
});
