import {
  buildInclusionProof,
  nodesOfTiles,
  type OrgHead,
  type ProvenEntry,
  parseLeaf,
  type TileId,
  type TileMemory,
  tilesForInclusion,
} from '@waymark/transparency';
import type { Db } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import { ENTRY_OF_LEDGER } from '../journal/journal-range.ts';
import { LEAF } from '../journal/leaf.ts';
import { type OrgLog, readOrgTiles } from './org-tiles.ts';
import { nodeSha256 } from './tree.ts';

interface EntryRow {
  readonly index: number;
  readonly leaf: Buffer;
  readonly actor_name: string;
  /** Null once the entry is erased. */
  readonly nonce: Buffer | null;
  readonly payload: string | null;
}

const readEntries = statement<{ org_id: string; position: number; indexes: readonly number[] }, EntryRow>(
  'read_entries_to_prove',
  `select ledger.index, ${LEAF} as leaf, journal.actor_name, journal.nonce, journal.payload
   from unnest(:indexes::bigint[]) as wanted (index)
   cross join lateral (
     select org_id, index, entry_seq from ledger
     where ledger.org_id = :org_id and ledger.index = wanted.index
       and ledger.position > wanted.index and ledger.position <= :position
     offset 0
   ) as ledger
   cross join lateral (${ENTRY_OF_LEDGER}) as journal
   order by ledger.index`,
);

/** Returns entries of an org with their proofs of inclusion under a head, in the order of their indexes. */
export async function readProvenEntries(
  db: Db,
  log: OrgLog,
  head: Pick<OrgHead, 'size'>,
  indexes: readonly number[],
  memory?: TileMemory,
): Promise<ProvenEntry[]> {
  const [rows, readTile] = await Promise.all([
    readEntries(db, { org_id: log.org_id, position: log.position, indexes }),
    readOrgTiles(db, log, tilesOf(indexes, head.size)),
  ]);
  const readNode = nodesOfTiles(readTile, nodeSha256, memory);
  return rows.map(({ index, leaf, actor_name, nonce, payload }) => ({
    index,
    leaf: parseLeaf(leaf),
    actorName: nonce && actor_name,
    nonce,
    payload,
    hashes: buildInclusionProof(index, head.size, readNode, nodeSha256),
  }));
}

function tilesOf(indexes: readonly number[], size: number): TileId[] {
  const tiles = new Map<string, TileId>();
  for (const tile of indexes.flatMap((index) => tilesForInclusion(index, size)))
    tiles.set(`${tile.level}/${tile.index}`, tile);
  return [...tiles.values()];
}
