import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readBlobName } from './blob-name.ts';
import type { ListedBlob } from './blob-store.ts';
import { unlessMissing } from './durable-files.ts';

/** Lists the files in the folders of an org, in order. Folders have the first digits of the names in them. */
export async function listDirectory(folder: string, after: string, limit: number): Promise<ListedBlob[]> {
  const listed: ListedBlob[] = [];
  for await (const blob of blobsIn(folder, after)) {
    listed.push(blob);
    if (listed.length === limit) break;
  }
  return listed;
}

async function* blobsIn(folder: string, after: string): AsyncGenerator<ListedBlob> {
  const folders = (await namesIn(folder)).filter(
    (digits) => /^[0-9a-f]{2}$/.test(digits) && digits >= after.slice(0, 2),
  );
  for (const digits of folders) {
    for (const name of await namesIn(join(folder, digits))) {
      const blob = name > after ? readBlobName(name) : undefined;
      const found = blob && (await unlessMissing(stat(join(folder, digits, name))));
      if (blob && found) yield { ...blob, name, size: found.size, modifiedAt: found.mtime };
    }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return ((await unlessMissing(readdir(folder))) ?? []).sort();
}
