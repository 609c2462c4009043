import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { unavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import { blobName, checkOrg, checkRange, newestOf, pastTheEnd, readBlobName } from './blob-name.ts';
import type { BlobStore, PutLimits, StoredBlob } from './blob-store.ts';
import { type Intake, intake } from './intake.ts';
import { asStream, type S3BlobOptions, s3Client, sizeOf, statusOf, unlessMissing } from './s3-client.ts';
import { sweepIncoming } from './s3-sweep.ts';
import { chain, readHead, uploadStream, writeNew } from './s3-upload.ts';
import { verified } from './verified.ts';

/** The smallest part that S3 accepts, and so the most that is held to learn a digest before anything is sent. */
const partSize = 5 * 1024 ** 2;

/** The most that one CopyObject copies. */
const copyLimit = 5 * 1024 ** 3;

const incoming = 'incoming/';

/**
 * `<org>/<sha256>`, with `.<generation>` after the first. The server must honour `If-None-Match: *` on PutObject. Where it ignores it on CopyObject
 * (versitygw 1.8), two racing puts of one file over 5 MiB may both say `created`; they write the same bytes.
 * On a bucket that keeps versions, `remove` hides a blob and a lifecycle rule must end it.
 */
export function s3Blobs(options: S3BlobOptions): BlobStore {
  const s3 = s3Client(options);
  const Bucket = options.bucket;

  const keyOf = (org: string, sha256: string, generation = 0) => `${checkOrg(org)}/${blobName({ sha256, generation })}`;

  async function check(): Promise<void> {
    const found = await unlessMissing(s3.send(new HeadBucketCommand({ Bucket })));
    if (!found) throw unavailable('The evidence store is not available', { cause: new Error(`No bucket '${Bucket}'`) });
  }

  async function findSize(Key: string): Promise<number | undefined> {
    const found = await unlessMissing(s3.send(new HeadObjectCommand({ Bucket, Key })));
    if (found) return sizeOf(found);
    // The 404 of a HEAD has no body to say what is missing: the object or the whole bucket.
    await check();
    return undefined;
  }

  /** Where the newest generation is, if the first one is gone. */
  async function findNewer(org: string, sha256: string): Promise<string | undefined> {
    const Prefix = `${keyOf(org, sha256)}.`;
    const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }));
    const newest = newestOf((page.Contents ?? []).map(({ Key = '' }) => Key.slice(org.length + 1)));
    return newest && `${org}/${newest}`;
  }

  async function atKey<T>(org: string, sha256: string, use: (Key: string) => Promise<T | undefined>) {
    const found = await use(keyOf(org, sha256));
    if (found !== undefined) return found;
    const newer = await findNewer(org, sha256);
    return newer === undefined ? undefined : use(newer);
  }

  async function putWhole(org: string, content: Intake, Body: Buffer, claim: PutLimits['claim']): Promise<StoredBlob> {
    const { sha256, size } = content.finish();
    const Key = keyOf(org, sha256, await claim?.({ sha256, size }));
    const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64');
    const put = () => s3.send(new PutObjectCommand({ Bucket, Key, Body, ChecksumSHA256, IfNoneMatch: '*' }));
    return { sha256, size, created: await writeNew(put) };
  }

  /** S3 has no rename: the content waits under a temporary name until its digest is known, and is then copied. */
  async function putStream(
    org: string,
    content: Intake,
    head: Buffer[],
    claim: PutLimits['claim'],
  ): Promise<StoredBlob> {
    const temporary = incoming + newId();
    try {
      await uploadStream(s3, { Bucket, Key: temporary, blocks: chain(head, content.blocks), partSize });
      const { sha256, size } = content.finish();
      const Key = keyOf(org, sha256, await claim?.({ sha256, size }));
      return { sha256, size, created: await copyNew(temporary, Key) };
    } finally {
      // A failure to clean up must not hide how the put went; the sweep removes what is left.
      await s3.send(new DeleteObjectCommand({ Bucket, Key: temporary })).catch(() => undefined);
    }
  }

  async function copyNew(from: string, Key: string): Promise<boolean> {
    if ((await findSize(Key)) !== undefined) return false;
    const CopySource = `${Bucket}/${from}`;
    return writeNew(() => s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, IfNoneMatch: '*' })));
  }

  return {
    async put(org, body, limits) {
      checkOrg(org);
      const content = intake(body, { ...limits, maxBytes: Math.min(limits.maxBytes, copyLimit) });
      const head = await readHead(content.blocks, partSize);
      return head.complete
        ? putWhole(org, content, Buffer.concat(head.blocks), limits.claim)
        : putStream(org, content, head.blocks, limits.claim);
    },

    async open(org, sha256, range) {
      const Range = range && `bytes=${checkRange(range).start}-${range.end}`;
      try {
        const found = await atKey(org, sha256, (Key) =>
          unlessMissing(s3.send(new GetObjectCommand({ Bucket, Key, Range }))),
        );
        if (!found) return undefined;
        const stream = asStream(found.Body);
        return { size: sizeOf(found), stream: range ? stream : verified(stream, sha256) };
      } catch (error) {
        throw statusOf(error) === 416 ? pastTheEnd() : error;
      }
    },

    async stat(org, sha256) {
      const size = await atKey(org, sha256, findSize);
      return size === undefined ? undefined : { size };
    },

    has: async (org, sha256, generation) => (await findSize(keyOf(org, sha256, generation))) !== undefined,

    async remove(org, sha256, generation) {
      await s3.send(new DeleteObjectCommand({ Bucket, Key: keyOf(org, sha256, generation) }));
    },

    async list(org, after, MaxKeys) {
      const Prefix = `${checkOrg(org)}/`;
      const StartAfter = `${Prefix}${after}`;
      const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix, StartAfter, MaxKeys }));
      return (page.Contents ?? []).flatMap(({ Key = '', Size = 0, LastModified }) => {
        const name = Key.slice(Prefix.length);
        const blob = readBlobName(name);
        return blob && LastModified ? [{ ...blob, name, size: Size, modifiedAt: LastModified }] : [];
      });
    },

    sweep: (olderThan) => sweepIncoming(s3, Bucket, incoming, olderThan),

    check,
  };
}
