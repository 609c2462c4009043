import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError, usageError } from '../run/cli-error.ts';
import type { Io } from '../run/io.ts';

interface Wanted {
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

/** The file appears under its name when it is whole and proven, and not before. */
export async function saveDownload(
  io: Pick<Io, 'cwd' | 'signal' | 'stdout'>,
  response: Response,
  wanted: Wanted,
): Promise<Saved> {
  const target = resolve(io.cwd, wanted.file);
  if (wanted.file !== '-' && !wanted.overwrite && existsSync(target)) {
    await response.body?.cancel();
    throw usageError(`${wanted.file} is there already`, 'Say with --to where to write it, or add --force');
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
    if (wanted.sha256 === null || wanted.sha256 === sha256) return { file: wanted.file, bytes, sha256 };
    throw new CliError('nonCompliant', 'What arrived is not what was recorded', {
      why: `Its digest is ${sha256}; ${wanted.sha256} was recorded`,
      fix: 'Try again; if it stays so, whoever runs the service must look at its store',
    });
  };
  if (wanted.file === '-') {
    for await (const chunk of chunks.pipe(counted)) io.stdout.write(chunk as Uint8Array);
    return finish();
  }
  const partial = join(dirname(target), `.waymark-${randomUUID()}.part`);
  try {
    await pipeline(chunks, counted, createWriteStream(partial, { flags: 'wx' }), { signal: io.signal });
    const saved = finish();
    renameSync(partial, target);
    return saved;
  } finally {
    rmSync(partial, { force: true });
  }
}
