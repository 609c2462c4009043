import {
  buildConsistencyProof,
  FormatError,
  nodesOfTiles,
  type TreeHead,
  tilesForConsistency,
  verifyExtension,
} from '@waymark/transparency';
import type { Db } from '../db/db.ts';
import { readRegionTiles } from './region-tiles.ts';
import { nodeSha256 } from './tree.ts';

/** Returns whether the stored tiles prove that one head of a region log extends another. */
export async function isExtended(db: Db, epoch: number, old: TreeHead, next: TreeHead): Promise<boolean> {
  if (old.size > next.size) return false;
  if (old.size === 0) return verifyExtension(old, next, [], nodeSha256);
  const readTile = await readRegionTiles(db, epoch, tilesForConsistency(old.size, next.size));
  try {
    const proof = buildConsistencyProof(old.size, next.size, nodesOfTiles(readTile, nodeSha256), nodeSha256);
    return verifyExtension(old, next, proof, nodeSha256);
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}
