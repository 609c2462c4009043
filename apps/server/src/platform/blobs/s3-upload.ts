import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { unavailable } from '../errors.ts';
import { statusOf } from './s3-client.ts';
import { abortUpload } from './s3-sweep.ts';

/** Reads until the end or until there is more than `enough`, whichever comes first. */
export async function readHead(blocks: AsyncGenerator<Buffer>, enough: number) {
  const head: Buffer[] = [];
  for (let size = 0; size <= enough; ) {
    const next = await blocks.next();
    if (next.done) return { blocks: head, complete: true };
    head.push(next.value);
    size += next.value.byteLength;
  }
  return { blocks: head, complete: false };
}

/** Empties `head`, so that it is freed before the rest is sent. */
export async function* chain(head: Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* head.splice(0);
  yield* rest;
}

interface UploadTarget {
  readonly Bucket: string;
  readonly Key: string;
  readonly blocks: AsyncGenerator<Buffer>;
  readonly partSize: number;
}

/** Holds about four parts in memory, however long the stream is. */
export async function uploadStream(s3: S3Client, { Bucket, Key, blocks, partSize }: UploadTarget): Promise<void> {
  const Body = Readable.from(blocks);
  const upload = new Upload({ client: s3, partSize, queueSize: 2, params: { Bucket, Key, Body } });
  try {
    await upload.done();
  } catch (error) {
    Body.destroy();
    // Upload aborts when a part fails, but not when the completion does (lib-storage 3.1160).
    if (upload.uploadId) await abortUpload(s3, Bucket, Key, upload.uploadId).catch(() => undefined);
    throw error;
  }
}

const attempts = 5;

/**
 * Whether a conditional write created the object. 412: it exists. 409: another writer of the same name is not done yet,
 * and S3 asks to retry.
 */
export async function writeNew(write: () => Promise<unknown>): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await write();
      return true;
    } catch (error) {
      if (statusOf(error) === 412) return false;
      if (statusOf(error) !== 409) throw error;
      if (attempt === attempts)
        throw unavailable('The evidence store is busy with this file. Try again shortly', { cause: error });
      await setTimeout(attempt * 50);
    }
  }
}
