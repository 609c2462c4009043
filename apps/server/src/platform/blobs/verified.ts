import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';

/** The stored content under this name is not what was put there. */
export class TamperedBlob extends Error {
  override readonly name = 'TamperedBlob';
}

/**
 * Passes on what it reads, and fails at the end when it does not match `sha256`. The last chunk is held back until
 * then, so a reader who knows the length sees a truncated transfer, never a complete wrong one.
 */
export function verified(source: Readable, sha256: string): Readable {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      const ready = held;
      held = chunk;
      done(null, ready);
    },
    flush(done) {
      if (hash.digest('hex') === sha256) done(null, held);
      else done(new TamperedBlob(`The content stored as ${sha256} is not what was put there`));
    },
  });
  // A failure of either side reaches the reader as the error of the returned stream.
  return pipeline(source, checked, () => undefined);
}
