import { HASH_BYTES, type ReadTile, type TileId } from '@waymark/transparency';

/** Returns the first hashes of a tile, or undefined if it has fewer: it may have grown since its width was read. */
export function cutTile(readTile: ReadTile, { level, index, width }: TileId): Buffer | undefined {
  const hashes = readTile(level, index)?.subarray(0, width * HASH_BYTES);
  return hashes?.length === width * HASH_BYTES ? Buffer.from(hashes) : undefined;
}
