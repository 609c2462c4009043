import { buildConsistencyProof, type Hash, leafHashOf, nodeHashOf, rootOfNodes } from '@waymark/transparency';
import { sql } from 'kysely';
import type { Db } from '../../src/platform/db/db.ts';

/** Returns the head of a tree that extends the region log at one size with leaves that nobody recorded. */
export async function appendForged(db: Db, oldSize: number, size: number): Promise<{ root: Hash; proof: Hash[] }> {
  const { rows } = await sql<{ leaf_hash: Buffer }>`
    select leaf_hash from region_leaf where epoch = 1 and index < ${oldSize} order by index`.execute(db);
  const leaves = rows.map(({ leaf_hash }) => leaf_hash);
  const node = (level: number, index: number): Hash => {
    if (level > 0) return nodeHashOf(node(level - 1, 2 * index), node(level - 1, 2 * index + 1));
    return leaves[index] ?? leafHashOf(Buffer.from(`forged ${index}`));
  };
  return { root: rootOfNodes(size, node), proof: [...buildConsistencyProof(oldSize, size, node)] };
}
