import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes a file under a name of its own, and gives it its name when its content is on the disk. */
export function replaceFile(path: string, content: string): void {
  const partial = join(dirname(path), `.waymark-${randomUUID()}.part`);
  try {
    const file = openSync(partial, 'wx');
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(partial, path);
    syncDirectory(dirname(path));
  } finally {
    rmSync(partial, { force: true });
  }
}

/** A new name in a directory survives a power cut only after this. */
function syncDirectory(path: string): void {
  // Windows can't sync directories, and writes names through.
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
