import { encodeEntries, TILE_WIDTH, type TileResource, tileWidth } from '@waymark/transparency';
import type { ObjectStore } from '../../platform/blobs/object-store.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { Problem } from '../../platform/errors.ts';
import { orgArchive } from '../../platform/ledger/archive.ts';
import { findOrgLog, type OrgLog, readLeaves, readOrgTiles } from '../../platform/ledger/org-tiles.ts';
import { readArchived } from './archived-file.ts';
import { cutTile } from './cut-tile.ts';

const findNote = statement<{ org_id: string }, { readonly note: string }>(
  'find_org_checkpoint',
  'select note from org_log_checkpoint where org_id = :org_id',
);

/** Returns the newest signed checkpoint of the log of the org, or throws a 404. */
export async function readOrgCheckpoint(ctx: Ctx): Promise<string> {
  const [checkpoint] = await findNote(ctx.db, { org_id: ctx.org });
  if (!checkpoint) throw new Problem('not_found', 'The ledger of this org has no signed checkpoint yet');
  return checkpoint.note;
}

const findArchived = statement<{ org_id: string }, { readonly epoch: number; readonly archived_size: number }>(
  'find_archived_org_log',
  'select epoch, archived_size from org_log_checkpoint where org_id = :org_id',
);

/** Returns a tile or an entry bundle of the log of the org, or undefined if there is none of this width. */
export async function readOrgResource(
  ctx: Ctx,
  objects: ObjectStore | undefined,
  resource: TileResource,
): Promise<Buffer | undefined> {
  const [log] = await findOrgLog(ctx.db, { org_id: ctx.org });
  const { index, width } = resource;
  const level = resource.kind === 'tile' ? resource.level : 0;
  if (!log || tileWidth(level, index, log.size) < width) return undefined;
  if (width === TILE_WIDTH) {
    const [{ epoch, archived_size: size } = { epoch: 0, archived_size: 0 }] = await findArchived(ctx.db, {
      org_id: ctx.org,
    });
    const archived = await readArchived({ objects, prefix: orgArchive(log.log_id, epoch), size }, resource, ctx.log);
    if (archived) return archived;
  }
  if (resource.kind === 'entries') return readBundle(ctx, log, resource);
  const tile = { level, index, width };
  return cutTile(await readOrgTiles(ctx.db, log, [tile]), tile);
}

/**
 * Leaves are made of what the journal has now. One that was changed is sent as it is: whoever reads it finds that it is
 * not the one in the tree.
 */
async function readBundle(
  { db, org }: Ctx,
  { position }: OrgLog,
  { index, width }: { readonly index: number; readonly width: number },
): Promise<Buffer | undefined> {
  const leaves = await readLeaves(db, { org_id: org, position, first: index * TILE_WIDTH, count: width });
  return leaves.length === width ? Buffer.from(encodeEntries(leaves.map(({ leaf }) => leaf))) : undefined;
}
