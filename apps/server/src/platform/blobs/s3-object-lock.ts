import { GetBucketVersioningCommand, GetObjectLockConfigurationCommand, S3ServiceException } from '@aws-sdk/client-s3';
import { type S3BlobOptions, s3Client } from './s3-client.ts';

export interface ObjectLockSupport {
  readonly kind: 'offered' | 'off' | 'no_versions' | 'unknown';
}

/**
 * Whether objects in the bucket can be locked. Without versions, a server that locks objects answers a second creation
 * as forbidden and not as done, which a server that creates objects cannot tell from a missing permission.
 */
export async function findObjectLock(options: S3BlobOptions): Promise<ObjectLockSupport> {
  const s3 = s3Client(options);
  const Bucket = options.bucket;
  try {
    const found = await s3.send(new GetObjectLockConfigurationCommand({ Bucket }));
    if (found.ObjectLockConfiguration?.ObjectLockEnabled !== 'Enabled') return { kind: 'off' };
  } catch (error) {
    return { kind: causeOf(error)?.name === 'ObjectLockConfigurationNotFoundError' ? 'off' : 'unknown' };
  }
  const { Status } = await s3.send(new GetBucketVersioningCommand({ Bucket })).catch(() => ({ Status: undefined }));
  return { kind: Status === 'Enabled' ? 'offered' : 'no_versions' };
}

/** The client hides answers that no request for a blob expects. */
function causeOf(error: unknown): S3ServiceException | undefined {
  const found = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return found instanceof S3ServiceException ? found : undefined;
}
