import { entriesPath, TILE_WIDTH, type TileResource, tilePath } from '@waymark/transparency';
import type { ObjectStore } from '../../platform/blobs/object-store.ts';
import type { Logger } from '../../platform/log.ts';

/** Where the archive of a log is, and how many of its leaves are there. */
export interface Archive {
  readonly objects: ObjectStore | undefined;
  readonly prefix: string;
  readonly size: number;
}

/**
 * Reads a full tile or entry bundle from the object store, which spares PostgreSQL the work. Returns undefined if it is
 * not there; all of them are in PostgreSQL as well.
 */
export async function readArchived(
  { objects, prefix, size }: Archive,
  resource: TileResource,
  log: Logger,
): Promise<Buffer | undefined> {
  const { index, width } = resource;
  const level = resource.kind === 'tile' ? resource.level : 0;
  if (!objects || width < TILE_WIDTH || (index + 1) * TILE_WIDTH ** (level + 1) > size) return undefined;
  const path = `${prefix}/${resource.kind === 'tile' ? tilePath({ level, index }) : entriesPath({ index })}`;
  try {
    return await objects.read(path);
  } catch (error) {
    log.warn({ err: error, path }, 'an archived part of the ledger could not be read, and is read from PostgreSQL');
    return undefined;
  }
}
