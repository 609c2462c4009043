/** Well below the limit of a journal entry, which holds more than the changes. */
const PART_BYTES = 200 * 1024;

/** Splits a list into parts whose JSON fits in one journal entry. Returns at least one part. */
export function inParts<Item>(items: readonly Item[], maxBytes = PART_BYTES): Item[][] {
  let part: Item[] = [];
  const parts = [part];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (bytes + size > maxBytes && part.length > 0) {
      part = [];
      parts.push(part);
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  return parts;
}
