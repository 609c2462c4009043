import { invalid, Problem } from '../errors.ts';
import { createGrowingBuffer } from './growing-buffer.ts';
import { dispositionOf } from './part-headers.ts';

/**
 * One part of a form. Its content must be read to the end before the next part is requested, or the form is abandoned.
 */
export interface FormPart {
  readonly name: string;
  readonly filename: string | undefined;
  readonly content: AsyncGenerator<Buffer>;
}

const HEADERS_MAX_BYTES = 16 * 1024;
const AROUND_MAX_BYTES = 16 * 1024;

/**
 * The parts of a multipart form while it arrives: nothing is read before it is requested, and at most one chunk is
 * held. Our own, because @fastify/busboy 3.2.5 skips parts that it cannot name, truncates long headers, and ends a
 * truncated file like a complete one (tried 2026-11).
 */
export async function* formParts(chunks: AsyncIterator<Buffer>, boundary: string): AsyncGenerator<FormPart> {
  const bytes = scanner(chunks);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  await collect(atMost(bytes.upTo(delimiter), AROUND_MAX_BYTES, brokenForm));
  for (;;) {
    const next = await bytes.peek(2);
    if (next === '--') break;
    if (next !== '\r\n') throw brokenForm();
    const headers = await collect(atMost(bytes.upTo(HEADERS_END), HEADERS_MAX_BYTES, brokenForm));
    const disposition = dispositionOf(headers);
    if (!disposition) throw brokenForm();
    yield { ...disposition, content: bytes.upTo(delimiter) };
  }
  await collect(atMost(bytes.rest(), AROUND_MAX_BYTES, brokenForm));
}

const HEADERS_END = Buffer.from('\r\n\r\n');

export function brokenForm(): Problem {
  return invalid('The form cannot be read: its boundary or one of its parts is malformed');
}

export async function* atMost(
  content: AsyncIterable<Buffer>,
  maxBytes: number,
  tooMuch: () => Problem,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of content) {
    size += piece.length;
    if (size > maxBytes) throw tooMuch();
    yield piece;
  }
}

export async function collect(
  content: AsyncIterable<Buffer>,
  hold: (bytes: number) => void = () => undefined,
): Promise<Buffer> {
  const collected = createGrowingBuffer(hold, Number.POSITIVE_INFINITY);
  for await (const piece of content) collected.append(piece);
  return collected.bytes();
}

function scanner(chunks: AsyncIterator<Buffer>) {
  // As if a line had ended before the form, so that the first delimiter is like the others.
  let pending = Buffer.from('\r\n');

  async function more(): Promise<boolean> {
    const { done, value } = await chunks.next().catch((error) => {
      throw error instanceof Problem ? error : brokenForm();
    });
    if (!done) pending = Buffer.concat([pending, value]);
    return !done;
  }

  function taken(length: number): Buffer {
    const piece = pending.subarray(0, length);
    pending = pending.subarray(length);
    return piece;
  }

  return {
    /** Yields what comes before the delimiter, and consumes the delimiter. */
    async *upTo(delimiter: Buffer): AsyncGenerator<Buffer> {
      for (;;) {
        const at = pending.indexOf(delimiter);
        if (at >= 0) {
          if (at > 0) yield taken(at);
          taken(delimiter.length);
          return;
        }
        // The end may be the beginning of the delimiter.
        const certain = pending.length - delimiter.length + 1;
        if (certain > 0) yield taken(certain);
        if (!(await more())) throw brokenForm();
      }
    },

    async peek(length: number): Promise<string> {
      while (pending.length < length) if (!(await more())) throw brokenForm();
      return pending.toString('latin1', 0, length);
    },

    async *rest(): AsyncGenerator<Buffer> {
      do yield taken(pending.length);
      while (await more());
    },
  };
}
