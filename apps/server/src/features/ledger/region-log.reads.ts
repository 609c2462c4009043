import { encodeEntries, TILE_WIDTH, type TileResource, tileWidth } from '@waymark/transparency';
import type { ObjectStore } from '../../platform/blobs/object-store.ts';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { statement } from '../../platform/db/statement.ts';
import { Problem } from '../../platform/errors.ts';
import { regionArchive } from '../../platform/ledger/archive.ts';
import { findNewest } from '../../platform/ledger/cosigned-checkpoint.ts';
import { readRegionLeaves, readRegionTiles } from '../../platform/ledger/region-tiles.ts';
import type { WitnessPolicy } from '../../platform/ledger/witness-policy.ts';
import { readArchived } from './archived-file.ts';
import { cutTile } from './cut-tile.ts';

/** Returns the newest checkpoint of an epoch with its cosignatures, or throws a 404. */
export async function readRegionCheckpoint(db: Db, policy: WitnessPolicy, epoch: number): Promise<string> {
  const checkpoint = await findNewest(db, policy, epoch);
  if (!checkpoint) throw new Problem('not_found', `Epoch ${epoch} of the region log has no checkpoint`);
  return checkpoint.note;
}

/** What has been appended and not signed may still be lost, and replaced. */
const findSigned = statement<{ epoch: number }, { readonly size: number; readonly archived_size: number }>(
  'find_signed_region_size',
  `select checkpoint.size, log.archived_size
   from region_checkpoint as checkpoint join region_log as log on log.epoch = checkpoint.epoch
   where checkpoint.epoch = :epoch order by checkpoint.number desc limit 1`,
);

/** Returns a tile or an entry bundle of the signed part of a region log, or undefined if there is none of this width. */
export async function readRegionResource(
  { db, log }: Pick<Ctx, 'db' | 'log'>,
  objects: ObjectStore | undefined,
  epoch: number,
  resource: TileResource,
): Promise<Buffer | undefined> {
  const { index, width } = resource;
  const level = resource.kind === 'tile' ? resource.level : 0;
  const [signed] = await findSigned(db, { epoch });
  if (!signed || tileWidth(level, index, signed.size) < width) return undefined;
  const archive = { objects, prefix: regionArchive(epoch), size: signed.archived_size };
  const archived = await readArchived(archive, resource, log);
  if (archived) return archived;
  if (resource.kind === 'tile') {
    const tile = { level, index, width };
    return cutTile(await readRegionTiles(db, epoch, [tile]), tile);
  }
  const leaves = await readRegionLeaves(db, { epoch, first: index * TILE_WIDTH, count: width });
  return leaves.length === width ? Buffer.from(encodeEntries(leaves.map(({ data }) => Buffer.from(data)))) : undefined;
}
