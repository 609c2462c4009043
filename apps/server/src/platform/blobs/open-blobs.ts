import type { BlobStore } from './blob-store.ts';
import { type DirectoryBlobOptions, directoryBlobs } from './directory-blobs.ts';
import { s3Blobs } from './s3-blobs.ts';
import type { S3BlobOptions } from './s3-client.ts';

export type BlobConfig = ({ kind: 'directory' } & DirectoryBlobOptions) | ({ kind: 's3' } & S3BlobOptions);

export function openBlobs(config: BlobConfig): BlobStore {
  return config.kind === 'directory' ? directoryBlobs(config) : s3Blobs(config);
}
