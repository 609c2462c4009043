import { directoryObjects } from './directory-objects.ts';
import type { ObjectStore } from './object-store.ts';
import type { BlobConfig } from './open-blobs.ts';
import { s3Objects } from './s3-objects.ts';

export function openObjects(config: BlobConfig): ObjectStore {
  return config.kind === 'directory' ? directoryObjects(config) : s3Objects(config);
}
