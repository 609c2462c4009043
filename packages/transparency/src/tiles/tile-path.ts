import { FormatError } from '../format-error.ts';
import { isSize } from '../merkle/spans.ts';
import { decimalOf, shown } from '../text.ts';
import { TILE_WIDTH, type TileId } from './tile.ts';

export interface BundleId {
  readonly index: number;
  readonly width: number;
}

export type TileResource = ({ readonly kind: 'tile' } & TileId) | ({ readonly kind: 'entries' } & BundleId);

const PATH =
  /^tile\/(?<level>entries|[0-9]{1,2})\/(?<index>(?:x[0-9]{3}\/){0,5}[0-9]{3})(?:\.p\/(?<width>[0-9]{1,3}))?$/;
const MAX_LEVEL = 63;
const DIGITS = 3;

/** Returns the path of a tile below the prefix of its log, such as `tile/0/x001/x234/067.p/8`. */
export function tilePath({ level, index, width }: Omit<TileId, 'width'> & { readonly width?: number }): string {
  if (!isSize(level) || level > MAX_LEVEL) throw new RangeError(`${level} is not a level of tiles`);
  return `tile/${level}/${indexPath(index, width)}`;
}

/** Returns the path of an entry bundle below the prefix of its log, such as `tile/entries/x001/x234/067`. */
export function entriesPath({ index, width }: { readonly index: number; readonly width?: number }): string {
  return `tile/entries/${indexPath(index, width)}`;
}

function indexPath(index: number, width: number = TILE_WIDTH): string {
  if (!isSize(index)) throw new RangeError(`${index} is not the index of a tile`);
  if (!isSize(width) || width === 0 || width > TILE_WIDTH) throw new RangeError(`${width} is not the width of a tile`);
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / DIGITS) * DIGITS, '0');
  const groups = padded.match(/[0-9]{3}/g) ?? [];
  const path = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/');
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

/** Reads the path of a tile or an entry bundle. Each has one path: zeros at the front are rejected. */
export function parseTilePath(path: string): TileResource {
  const groups = PATH.exec(path)?.groups;
  const index = Number(groups?.['index']?.replaceAll(/[x/]/g, ''));
  const width = groups?.['width'] === undefined ? TILE_WIDTH : decimalOf(groups['width']);
  const id = { index, width: width ?? 0 };
  if (!groups || !isSize(index) || id.width === 0 || id.width > TILE_WIDTH) throw notPath(path);
  if (groups['level'] === 'entries') return checked({ kind: 'entries', ...id }, entriesPath(id), path);
  const level = Number(groups['level']);
  if (level > MAX_LEVEL) throw notPath(path);
  return checked({ kind: 'tile', level, ...id }, tilePath({ level, ...id }), path);
}

function checked(resource: TileResource, path: string, given: string): TileResource {
  if (path !== given) throw notPath(given);
  return resource;
}

function notPath(path: string): FormatError {
  return new FormatError('tile path', `${shown(path)} is not of the form tile/<level or entries>/<index>[.p/<width>]`);
}
