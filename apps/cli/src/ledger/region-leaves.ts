import {
  EMPTY_EDGE,
  FormatError,
  parseRegionLeaf,
  type RegionLeaf,
  sameHash,
  type TreeHead,
} from '@waymark/transparency';
import { LedgerFault } from './ledger-fault.ts';
import type { RemoteLog } from './remote-log.ts';
import { append, edgeAt, hashOfLeaf, leafData } from './tree-reads.ts';

/**
 * Reads the leaves that a region log appended between two checkpoints, and passes each to the caller. The tree that they
 * build must be that of the newer checkpoint, so no leaf can be hidden or replaced.
 */
export async function readNewLeaves(
  log: RemoteLog,
  old: TreeHead,
  next: TreeHead,
  onLeaf: (leaf: RegionLeaf) => void,
): Promise<boolean> {
  let edge = old.size === 0 ? EMPTY_EDGE : await edgeAt(log, old, next.size);
  if (!edge) return false;
  let root = old.root;
  for await (const leaves of leafData(log, old.size, next.size)) {
    ({ edge, root } = append(edge, leaves.map(hashOfLeaf)));
    for (const leaf of leaves) onLeaf(parsed(log, leaf));
  }
  return sameHash(root, next.root);
}

function parsed({ title }: RemoteLog, data: Uint8Array): RegionLeaf {
  try {
    return parseRegionLeaf(data);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new LedgerFault(`The ${title} has a leaf that cannot be read`, {
      why: error.message,
      fix: 'Update this program; if it happens again, ask the operator of the service',
    });
  }
}

/** Returns the head that a leaf names in hex. */
export function headOf({ size, root }: { readonly size: number; readonly root: string }): TreeHead {
  return { size, root: new Uint8Array(Buffer.from(root, 'hex')) };
}
