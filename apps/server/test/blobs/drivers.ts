import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { endpoints } from '../../../../tools/services/endpoints.ts';
import type { BlobStore } from '../../src/platform/blobs/blob-store.ts';
import type { ObjectStore } from '../../src/platform/blobs/object-store.ts';
import { openBlobs } from '../../src/platform/blobs/open-blobs.ts';
import { openObjects } from '../../src/platform/blobs/open-objects.ts';
import { s3Client } from '../../src/platform/blobs/s3-client.ts';
import { newId } from '../../src/platform/ids.ts';

/** A separate store on the real backend, with what a test must see and do behind the store's back. */
export interface TestBlobs {
  readonly blobs: BlobStore;
  /** In the same place. */
  readonly objects: ObjectStore;
  /** Every name the store holds, temporaries and unfinished uploads included. */
  everything(): Promise<string[]>;
  overwrite(org: string, sha256: string, content: Buffer): Promise<void>;
  /** Leaves behind what a put interrupted by a crash does. */
  abandon(count: number): Promise<void>;
  close(): Promise<void>;
}

export const drivers = [
  { name: 'directory', given: givenDirectory, exactCopies: true },
  { name: 's3', given: givenS3, exactCopies: false },
] as const;

async function givenDirectory(): Promise<TestBlobs & { root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'waymark-blobs-'));
  return {
    root,
    blobs: openBlobs({ kind: 'directory', root }),
    objects: openObjects({ kind: 'directory', root }),
    async everything() {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    },
    overwrite: (org, sha256, content) => writeFile(join(root, org, sha256.slice(0, 2), sha256), content),
    async abandon(count) {
      await mkdir(join(root, 'incoming'), { recursive: true });
      for (let made = 0; made < count; made += 1) await writeFile(join(root, 'incoming', newId()), 'cut off');
    },
    close: () => rm(root, { recursive: true }),
  };
}

/** A separate bucket: a sweep in a shared one would remove the uploads of concurrent tests. */
export async function givenS3(): Promise<TestBlobs & { bucket: string }> {
  const Bucket = `blobs-${newId()}`;
  const options = { ...endpoints().s3, bucket: Bucket };
  const s3 = s3Client(options);
  await s3.send(new CreateBucketCommand({ Bucket }));

  async function keys(): Promise<string[]> {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    return Contents.map(({ Key }) => `${Key}`);
  }

  return {
    bucket: Bucket,
    blobs: openBlobs({ kind: 's3', ...options }),
    objects: openObjects({ kind: 's3', ...options }),
    async everything() {
      const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
      return [...(await keys()).map((key) => key.slice(key.indexOf('/') + 1)), ...Uploads.map(({ Key }) => `${Key}`)];
    },
    async overwrite(org, sha256, content) {
      await s3.send(new PutObjectCommand({ Bucket, Key: `${org}/${sha256}`, Body: content }));
    },
    async abandon(count) {
      await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: `incoming/${newId()}` }));
      for (let made = 1; made < count; made += 1) {
        await s3.send(new PutObjectCommand({ Bucket, Key: `incoming/${newId()}`, Body: 'cut off' }));
      }
    },
    async close() {
      for (const Key of await keys()) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
      await s3.send(new DeleteBucketCommand({ Bucket }));
    },
  };
}
