import * as fc from 'fast-check';
import { expect } from 'vitest';
import { FormatError } from '../src/format-error.ts';

/** Reads a text, or expects the one error that parsers throw. */
async function parsesOrFails(parse: (text: string) => unknown, text: string): Promise<void> {
  try {
    await parse(text);
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
  }
}

/** Reads random texts, and valid ones with a part removed, repeated or replaced, which come much further. */
export function fuzz(parse: (text: string) => unknown, valid: readonly string[]): Promise<void> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const spoiled = fc
    .tuple(
      fc.constantFrom(...valid),
      place,
      place,
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n', '\n\n', ' ', '0', '+', '\u{2014} ')),
    )
    .map(([text, from, to, between]) => {
      const [begin, end] = [Math.floor(from * text.length), Math.floor(to * text.length)];
      return text.slice(0, begin) + between + text.slice(end);
    });
  const texts = fc.oneof(spoiled, fc.string({ unit: 'binary', maxLength: 200 }));
  return fc.assert(
    fc.asyncProperty(texts, (text) => parsesOrFails(parse, text)),
    { numRuns: 1000 },
  );
}
