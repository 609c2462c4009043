import { createHash } from 'node:crypto';
import { invalid, tooLarge } from '../errors.ts';
import type { PutLimits } from './blob-store.ts';

const blockSize = 256 * 1024;

/** A body being received. Call `finish` once `blocks` has been read to its end. */
export interface Intake {
  readonly blocks: AsyncGenerator<Buffer>;
  finish(): { sha256: string; size: number };
}

/**
 * Counts and hashes, and stops reading as soon as the body exceeds its limit. The bytes are copied into blocks of one
 * size: a body sent a byte at a time then costs its bytes, and not an object of a hundred bytes for each.
 */
export function intake(body: AsyncIterable<Uint8Array>, { maxBytes, expectedSha256 }: PutLimits): Intake {
  const hash = createHash('sha256');
  let size = 0;

  async function* blocks(): AsyncGenerator<Buffer> {
    let block = Buffer.allocUnsafeSlow(blockSize);
    let filled = 0;
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(`The file is larger than the maximum of ${maxBytes} bytes`);
      for (let taken = 0; taken < chunk.byteLength; ) {
        const piece = chunk.subarray(taken, taken + blockSize - filled);
        block.set(piece, filled);
        taken += piece.byteLength;
        filled += piece.byteLength;
        if (filled < blockSize) continue;
        hash.update(block);
        yield block;
        block = Buffer.allocUnsafeSlow(blockSize);
        filled = 0;
      }
    }
    if (filled === 0) return;
    const rest = block.subarray(0, filled);
    hash.update(rest);
    yield rest;
  }

  function finish() {
    const sha256 = hash.digest('hex');
    if (expectedSha256 !== undefined && sha256 !== expectedSha256) {
      throw invalid(`The SHA-256 digest of the content is '${sha256}', not '${expectedSha256}'`);
    }
    return { sha256, size };
  }

  return { blocks: blocks(), finish };
}
