import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { sweepLimit } from './blob-store.ts';
import { statusOf } from './s3-client.ts';

/** Names under `prefix` begin with their time, so the first page of a listing has the oldest. */
export async function sweepIncoming(s3: S3Client, bucket: string, prefix: string, olderThan: Date): Promise<number> {
  const objects = await sweepObjects(s3, bucket, prefix, olderThan, sweepLimit);
  return objects + (await sweepUploads(s3, bucket, prefix, olderThan, sweepLimit - objects));
}

async function sweepObjects(s3: S3Client, Bucket: string, Prefix: string, olderThan: Date, limit: number) {
  const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: limit }));
  const stale = (page.Contents ?? []).filter(({ LastModified }) => LastModified && LastModified < olderThan);
  for (const { Key } of stale) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  return stale.length;
}

async function sweepUploads(s3: S3Client, Bucket: string, Prefix: string, olderThan: Date, limit: number) {
  if (limit === 0) return 0;
  const page = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix, MaxUploads: limit }));
  const stale = (page.Uploads ?? []).filter(({ Initiated }) => Initiated && Initiated < olderThan);
  for (const { Key, UploadId } of stale) await abortUpload(s3, Bucket, Key, UploadId);
  return stale.length;
}

/** Aborting an upload that was already completed or aborted is not an error. */
export async function abortUpload(
  s3: S3Client,
  Bucket: string,
  Key: string | undefined,
  UploadId: string | undefined,
): Promise<void> {
  try {
    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}
