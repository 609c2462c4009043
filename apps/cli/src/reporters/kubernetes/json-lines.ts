/** A pod is 1.5 MB at most where it is kept, and somewhat more in JSON. */
const LINE_MOST = 16 * 1024 * 1024;

/** JSON values, one a line. What is not ended by a line break was cut, and is no value. */
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
    if (size > LINE_MOST) throw new Error(`a line is longer than ${LINE_MOST} bytes`);
  }
  if (size > 0) throw new Error('the connection was cut in the middle of an event');
}
