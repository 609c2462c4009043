import type { Hash, TileMemory } from '@waymark/transparency';
import { LRUCache } from 'lru-cache';
import { nodeSha256 } from './tree.ts';

const TILES = 256;

/**
 * Remembers the tiles of the last proofs by what they contain: those near the root of a tree are part of most proofs, and
 * hashing them again takes longer than reading them.
 */
export function rememberRecentTiles(): TileMemory {
  const recent = new LRUCache<string, Map<number, Hash>>({ max: TILES });
  const ofProof = new WeakMap<Uint8Array, Map<number, Hash>>();
  return (bytes) => {
    const known = ofProof.get(bytes);
    if (known) return known;
    const digest = Buffer.from(nodeSha256(bytes)).toString('base64url');
    const roots = recent.get(digest) ?? new Map<number, Hash>();
    recent.set(digest, roots);
    ofProof.set(bytes, roots);
    return roots;
  };
}
