import { constants } from 'node:fs';
import { access, link, mkdir, open, opendir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import { checkOrg, checkRange, checkSha256, pastTheEnd } from './blob-name.ts';
import { type BlobStore, sweepLimit } from './blob-store.ts';
import { type Intake, intake } from './intake.ts';
import { verified } from './verified.ts';

export interface DirectoryBlobOptions {
  readonly root: string;
}

/** `<root>/<org>/<first two hex>/<sha256>`. Needs a file system with hard links. */
export function directoryBlobs({ root }: DirectoryBlobOptions): BlobStore {
  const incoming = join(root, 'incoming');

  function pathOf(org: string, sha256: string): string {
    return join(root, checkOrg(org), checkSha256(sha256).slice(0, 2), sha256);
  }

  async function publish(temporary: string, org: string, sha256: string): Promise<boolean> {
    const path = pathOf(org, sha256);
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
        await writeDurably(temporary, content);
        const { sha256, size } = content.finish();
        return { sha256, size, created: await publish(temporary, org, sha256) };
      } finally {
        await rm(temporary, { force: true });
      }
    },

    async open(org, sha256, range) {
      if (range) checkRange(range);
      const file = await unlessMissing(open(pathOf(org, sha256), 'r'));
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
      const found = await unlessMissing(stat(pathOf(org, sha256)));
      return found && { size: found.size };
    },

    async remove(org, sha256) {
      const path = pathOf(org, sha256);
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

async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

async function writeDurably(path: string, content: Intake): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(content.blocks);
  await file.sync();
}

/** A link, not a rename: it is as atomic, and it fails where a rename would replace an existing file. */
async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r');
  await directory.sync();
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
