/** A pod is at most 1.5 MB in etcd, and somewhat more in JSON. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Yields JSON values, one per line. A last line without a line break was truncated, and is dropped. */
export async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString();
      if (line.trim() !== '') yield JSON.parse(line);
      parts = [];
      size = 0;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > MAX_LINE_BYTES) throw new Error(`a line is longer than ${MAX_LINE_BYTES} bytes`);
  }
  if (size > 0) throw new Error('the connection closed in the middle of an event');
}
