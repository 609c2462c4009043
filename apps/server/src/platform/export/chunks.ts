const CHUNK_BYTES = 64 * 1024;

/** Joins small texts into chunks worth sending, which are few system calls and little memory. */
export async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<Buffer, void> {
  let held = '';
  for await (const text of texts) {
    held += text;
    if (held.length < CHUNK_BYTES) continue;
    yield Buffer.from(held);
    held = '';
  }
  if (held !== '') yield Buffer.from(held);
}
