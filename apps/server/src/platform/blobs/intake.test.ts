import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { intake } from './intake.ts';

const blockSize = 256 * 1024;

async function* chunksOf(content: Buffer, lengths: readonly number[]) {
  let at = 0;
  for (const length of lengths) {
    yield content.subarray(at, at + length);
    at += length;
  }
  yield content.subarray(at);
}

async function collect(blocks: AsyncIterable<Buffer>) {
  const all: Buffer[] = [];
  for await (const block of blocks) all.push(block);
  return all;
}

it('passes on the same bytes in blocks of one size, however they were cut', async () => {
  const lengths = fc.array(fc.nat({ max: 2 * blockSize }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 4 * blockSize }), lengths, async (size, lengths) => {
      const content = Buffer.alloc(size, 'waymark');
      const taken = intake(chunksOf(content, lengths), { maxBytes: size });

      const blocks = await collect(taken.blocks);

      expect(Buffer.concat(blocks).equals(content)).toBe(true);
      expect(blocks.slice(0, -1).every((block) => block.length === blockSize)).toBe(true);
      expect(taken.finish()).toEqual({ sha256: createHash('sha256').update(content).digest('hex'), size });
    }),
    { numRuns: 50 },
  );
});

it('does not keep hold of what it was given', async () => {
  const reused = Buffer.alloc(1);
  async function* digits() {
    for (const digit of '0123456789') {
      reused.write(digit);
      yield reused;
    }
  }

  const blocks = await collect(intake(digits(), { maxBytes: 10 }).blocks);

  expect(Buffer.concat(blocks).toString()).toBe('0123456789');
});
