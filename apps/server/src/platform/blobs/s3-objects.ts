import { buffer } from 'node:stream/consumers';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { systemClock } from '../time.ts';
import { checkObjectPath } from './object-path.ts';
import type { ObjectStore } from './object-store.ts';
import { asStream, type S3BlobOptions, s3Client, unlessMissing } from './s3-client.ts';
import { writeNew } from './s3-upload.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * `ledger/…`. The server must honour `If-None-Match: *` on PutObject. A request that it answers late may be repeated by
 * the SDK, so an object can exist because of the very call that reports that it did not create it.
 */
export function s3Objects(options: S3BlobOptions): ObjectStore {
  const s3 = s3Client(options);
  const Bucket = options.bucket;

  return {
    async create(path, Body) {
      const Key = checkObjectPath(path);
      return writeNew(() => s3.send(new PutObjectCommand({ Bucket, Key, Body, IfNoneMatch: '*', ...lockOf(options) })));
    },

    async read(path) {
      const found = await unlessMissing(s3.send(new GetObjectCommand({ Bucket, Key: checkObjectPath(path) })));
      return found && buffer(asStream(found.Body));
    },

    async overwrite(path, Body) {
      await s3.send(new PutObjectCommand({ Bucket, Key: checkObjectPath(path), Body }));
    },

    async remove(path) {
      await s3.send(new DeleteObjectCommand({ Bucket, Key: checkObjectPath(path) }));
    },
  };
}

/** In compliance mode nobody shortens it, not even the owner of the bucket. What is overwritten is not locked. */
function lockOf({ objectLockDays: days }: S3BlobOptions) {
  if (days === undefined) return {};
  const ObjectLockRetainUntilDate = new Date(systemClock().getTime() + days * DAY_MS);
  return { ObjectLockMode: 'COMPLIANCE' as const, ObjectLockRetainUntilDate };
}
