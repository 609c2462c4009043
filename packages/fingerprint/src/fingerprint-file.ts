import { createHash } from 'node:crypto';
import { createReadStream, type PathLike } from 'node:fs';
import { stat } from 'node:fs/promises';

/** The SHA-256 of the file's bytes, in lower case hex. */
export async function fingerprintFile(path: string): Promise<string> {
  if ((await stat(path)).isDirectory()) throw new Error(`${path} is a directory and not a file`);
  return contentDigest(path);
}

export async function contentDigest(path: PathLike): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  return digest.digest('hex');
}
