import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError, usageError } from '../run/cli-error.ts';
import type { Io } from '../run/io.ts';

interface DownloadTarget {
  /** `-` is standard output. */
  readonly file: string;
  readonly sha256: string | null;
  readonly overwrite: boolean;
}

interface Saved {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Saves a download. The file appears under its name only when it is complete and verified. */
export async function saveDownload(
  io: Pick<Io, 'cwd' | 'signal' | 'stdout'>,
  response: Response,
  target: DownloadTarget,
): Promise<Saved> {
  const path = resolve(io.cwd, target.file);
  if (target.file !== '-' && !target.overwrite && existsSync(path)) {
    await response.body?.cancel();
    throw usageError(`${target.file} already exists`, 'Choose another file with --to, or overwrite it with --force');
  }
  const hash = createHash('sha256');
  let bytes = 0;
  const chunks = Readable.fromWeb((response.body ?? new ReadableStream()) as never);
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const finish = (): Saved => {
    const sha256 = hash.digest('hex');
    if (target.sha256 === null || target.sha256 === sha256) return { file: target.file, bytes, sha256 };
    throw new CliError('nonCompliant', 'The download does not match its record', {
      why: `Its digest is ${sha256}, but ${target.sha256} was recorded`,
      fix: 'Try again; if it happens again, tell the operator of the service to check the evidence store',
    });
  };
  if (target.file === '-') {
    for await (const chunk of chunks.pipe(counted)) io.stdout.write(chunk as Uint8Array);
    return finish();
  }
  const partial = join(dirname(path), `.waymark-${randomUUID()}.part`);
  try {
    await pipeline(chunks, counted, createWriteStream(partial, { flags: 'wx' }), { signal: io.signal });
    const saved = finish();
    renameSync(partial, path);
    return saved;
  } finally {
    rmSync(partial, { force: true });
  }
}
