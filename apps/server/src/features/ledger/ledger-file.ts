import { FormatError, parseTilePath, TILE_WIDTH, type TileResource } from '@waymark/transparency';
import { invalidField, Problem } from '../../platform/errors.ts';
import type { SmallFile } from '../../platform/http/small-file.ts';

/** For what changes with the next checkpoint. */
export const FRESH = 'no-cache';
export const FRESH_FOR_MEMBERS = 'private, no-cache';

/** The path of a tile of the region log contains its epoch, so nothing else will ever be there. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * The path of a tile of an org has no epoch. After a restore that lost entries, another tile may be there, so no cache
 * keeps it for long.
 */
const IMMUTABLE_FOR_NOW = 'private, max-age=3600, immutable';

/** Answers with a tile or an entry bundle. `read` returns nothing if the log is smaller than that. */
export async function tileFile(
  path: string,
  read: (resource: TileResource) => Promise<Buffer | undefined>,
  audience: 'public' | 'members',
): Promise<SmallFile> {
  const resource = parsePath(path);
  const content = await read(resource);
  if (!content) throw new Problem('not_found', `The log has no tile '${path}' yet`);
  const isFull = resource.width === TILE_WIDTH;
  const immutable = audience === 'public' ? IMMUTABLE : IMMUTABLE_FOR_NOW;
  const fresh = audience === 'public' ? FRESH : FRESH_FOR_MEMBERS;
  return { content, cacheControl: isFull ? immutable : fresh };
}

function parsePath(path: string): TileResource {
  try {
    return parseTilePath(`tile/${path}`);
  } catch (error) {
    if (error instanceof FormatError)
      throw invalidField(
        'path',
        "is not the path of a tile or an entry bundle, such as '0/x001/234' or 'entries/000.p/8'",
      );
    throw error;
  }
}
