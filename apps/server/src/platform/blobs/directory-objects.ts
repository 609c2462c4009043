import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newId } from '../ids.ts';
import { linkNew, makeDirectory, syncDirectory, unlessMissing, writeDurably } from './durable-files.ts';
import { checkObjectPath } from './object-path.ts';
import type { ObjectStore } from './object-store.ts';

/** `<root>/ledger/…`. Objects are written under `<root>/incoming`, which is swept, and appear under their path whole. */
export function directoryObjects({ root }: { readonly root: string }): ObjectStore {
  const incoming = join(root, 'incoming');

  async function publish(path: string, content: Uint8Array, as: (temporary: string, to: string) => Promise<boolean>) {
    const to = join(root, checkObjectPath(path));
    await makeDirectory(incoming);
    await makeDirectory(dirname(to));
    const temporary = join(incoming, newId());
    try {
      await writeDurably(temporary, content);
      const done = await as(temporary, to);
      // Also if another writer came first: that one may not have synced yet, and the caller relies on what it finds.
      await syncUp(dirname(path));
      return done;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** A directory that was just created is durable once the one above it is. */
  async function syncUp(path: string): Promise<void> {
    for (let at = path; at !== '.'; at = dirname(at)) await syncDirectory(join(root, at));
    await syncDirectory(root);
  }

  return {
    create: (path, content) => publish(path, content, linkNew),

    read: async (path) => unlessMissing(readFile(join(root, checkObjectPath(path)))),

    async overwrite(path, content) {
      await publish(path, content, async (temporary, to) => {
        await rename(temporary, to);
        return true;
      });
    },

    async remove(path) {
      const found = join(root, checkObjectPath(path));
      await rm(found, { force: true });
      await unlessMissing(syncDirectory(dirname(found)));
    },
  };
}
