import { Readable } from 'node:stream';
import { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { unavailable } from '../errors.ts';

export interface S3BlobOptions {
  readonly region: string;
  readonly bucket: string;
  /** Absent for AWS. */
  readonly endpoint?: string | undefined;
  /** Absent together with `secretKey` where the machine has its own role. */
  readonly accessKey?: string | undefined;
  readonly secretKey?: string | undefined;
  /** The default when an endpoint is given: few servers other than AWS's have a host name per bucket. */
  readonly forcePathStyle?: boolean | undefined;
  /** For how many days nobody can remove what the ledger creates. The bucket must have Object Lock. */
  readonly objectLockDays?: number | undefined;
}

/** Its failures are `unavailable`, unless the server rightly refused the request. */
export function s3Client({ region, endpoint, accessKey, secretKey, forcePathStyle }: S3BlobOptions): S3Client {
  const client = new S3Client({
    region,
    forcePathStyle: forcePathStyle ?? endpoint !== undefined,
    ...(endpoint && { endpoint }),
    ...(accessKey && secretKey && { credentials: { accessKeyId: accessKey, secretAccessKey: secretKey } }),
    // Our own digest is checked on every full read; the SDK's would be a second pass over the same bytes.
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      // Each download holds a connection; with the SDK's default of 50, that many slow readers would block uploads.
      httpAgent: { maxSockets: 500 },
      httpsAgent: { maxSockets: 500 },
    },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw isAnswer(error) ? error : unavailable('The evidence store is not available', { cause: error });
      }
    },
    { step: 'initialize', priority: 'high', name: 'explainFailure' },
  );
  return client;
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/**
 * Only these 404 codes mean that the object is missing: others mean a missing bucket or, on versitygw, an unknown
 * access key, and must not read as "no such evidence".
 */
const missing = ['NoSuchKey', 'NotFound', 'NoSuchUpload'];

function isAnswer(error: unknown): boolean {
  const status = statusOf(error);
  if (status === 404) return error instanceof Error && missing.includes(error.name);
  return status === 409 || status === 412 || status === 416;
}

export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Of the whole object, also when the reply holds a range of it. */
export function sizeOf(reply: { ContentLength?: number | undefined; ContentRange?: string | undefined }): number {
  const size = reply.ContentRange ? Number(reply.ContentRange.split('/')[1]) : reply.ContentLength;
  if (!Number.isSafeInteger(size)) throw unavailable('The evidence store does not say how large a file is');
  return Number(size);
}

export function asStream(body: unknown): Readable {
  if (!(body instanceof Readable)) throw new Error('The S3 client answered without a stream');
  return body;
}
