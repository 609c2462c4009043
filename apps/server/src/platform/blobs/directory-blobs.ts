import { constants } from 'node:fs';
import { access, open, opendir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import { blobName, checkOrg, checkRange, checkSha256, newestOf, pastTheEnd } from './blob-name.ts';
import { type BlobStore, sweepLimit } from './blob-store.ts';
import { listDirectory } from './directory-list.ts';
import { linkNew, makeDirectory, syncDirectory, unlessMissing, writeDurably } from './durable-files.ts';
import { intake } from './intake.ts';
import { verified } from './verified.ts';

export interface DirectoryBlobOptions {
  readonly root: string;
}

/** `<root>/<org>/<first two hex>/<sha256>`, with `.<generation>` after the first. Needs a file system with hard links. */
export function directoryBlobs({ root }: DirectoryBlobOptions): BlobStore {
  const incoming = join(root, 'incoming');

  function pathOf(org: string, sha256: string, generation = 0): string {
    return join(root, checkOrg(org), checkSha256(sha256).slice(0, 2), blobName({ sha256, generation }));
  }

  /** Hands the path of a blob to `use`, which finds nothing at a path whose blob is gone. */
  async function atPath<T>(org: string, sha256: string, use: (path: string) => Promise<T>): Promise<T | undefined> {
    const first = pathOf(org, sha256);
    const found = await unlessMissing(use(first));
    if (found !== undefined) return found;
    const names = await unlessMissing(readdir(dirname(first)));
    const newest = newestOf((names ?? []).filter((name) => name.startsWith(sha256)));
    return newest === undefined ? undefined : unlessMissing(use(join(dirname(first), newest)));
  }

  async function publish(temporary: string, org: string, sha256: string, generation?: number): Promise<boolean> {
    const path = pathOf(org, sha256, generation);
    await makeDirectory(dirname(path));
    const created = await linkNew(temporary, path);
    // Also when another put came first: that one may not have synced yet, and the caller relies on the content being
    // durable.
    for (const directory of [dirname(path), join(root, org), root]) await syncDirectory(directory);
    return created;
  }

  return {
    async put(org, body, limits) {
      checkOrg(org);
      await makeDirectory(incoming);
      const temporary = join(incoming, newId());
      const content = intake(body, limits);
      try {
        await writeDurably(temporary, content.blocks);
        const { sha256, size } = content.finish();
        const generation = await limits.claim?.({ sha256, size });
        return { sha256, size, created: await publish(temporary, org, sha256, generation) };
      } finally {
        await rm(temporary, { force: true });
      }
    },

    async open(org, sha256, range) {
      if (range) checkRange(range);
      const file = await atPath(org, sha256, (path) => open(path, 'r'));
      if (!file) return undefined;
      try {
        const { size } = await file.stat();
        if (range && range.start >= size) throw pastTheEnd();
        return { size, stream: range ? file.createReadStream(range) : verified(file.createReadStream(), sha256) };
      } catch (error) {
        await file.close();
        throw error;
      }
    },

    async stat(org, sha256) {
      const found = await atPath(org, sha256, (path) => stat(path));
      return found && { size: found.size };
    },

    has: async (org, sha256, generation) => (await unlessMissing(stat(pathOf(org, sha256, generation)))) !== undefined,

    list: (org, after, limit) => listDirectory(join(root, checkOrg(org)), after, limit),

    async remove(org, sha256, generation) {
      const path = pathOf(org, sha256, generation);
      await rm(path, { force: true });
      await unlessMissing(syncDirectory(dirname(path)));
    },

    async sweep(olderThan) {
      const directory = await unlessMissing(opendir(incoming));
      if (!directory) return 0;
      let removed = 0;
      for await (const { name } of directory) {
        const path = join(incoming, name);
        const found = await unlessMissing(stat(path));
        if (!found || found.mtime >= olderThan) continue;
        await rm(path, { force: true });
        removed += 1;
        if (removed === sweepLimit) break;
      }
      return removed;
    },

    async check() {
      try {
        await makeDirectory(root);
        await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
      } catch (cause) {
        throw unavailable('The evidence store cannot be read and written', { cause });
      }
    },
  };
}
