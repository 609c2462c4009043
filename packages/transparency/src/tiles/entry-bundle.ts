import { concatBytes } from '../bytes.ts';
import { FormatError } from '../format-error.ts';
import { TILE_WIDTH } from './tile.ts';

/** The length of an entry is written in two bytes. */
export const MAX_ENTRY_BYTES = 0xffff;
const LENGTH_BYTES = 2;
const FORMAT = 'entry bundle';

export function encodeEntries(entries: readonly Uint8Array[]): Uint8Array {
  if (entries.length > TILE_WIDTH) throw new RangeError(`a bundle has at most ${TILE_WIDTH} entries`);
  return concatBytes(
    ...entries.flatMap((entry) => {
      if (entry.length > MAX_ENTRY_BYTES) throw new RangeError(`an entry has at most ${MAX_ENTRY_BYTES} bytes`);
      return [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry];
    }),
  );
}

/** Reads a bundle of exactly so many entries. */
export function decodeEntries(bytes: Uint8Array, count: number): Uint8Array[] {
  const entries: Uint8Array[] = [];
  let offset = 0;
  while (entries.length < count) {
    const [high, low] = bytes.subarray(offset, offset + LENGTH_BYTES);
    if (high === undefined || low === undefined)
      throw new FormatError(FORMAT, `has ${entries.length} entries, not ${count}`);
    const begin = offset + LENGTH_BYTES;
    offset = begin + (high << 8) + low;
    if (offset > bytes.length) throw new FormatError(FORMAT, `entry ${entries.length} is longer than the bundle`);
    entries.push(bytes.subarray(begin, offset));
  }
  if (offset !== bytes.length) throw new FormatError(FORMAT, `${bytes.length - offset} bytes follow the last entry`);
  return entries;
}
