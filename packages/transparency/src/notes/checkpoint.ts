import { fromBase64, toBase64 } from '../bytes.ts';
import { FormatError } from '../format-error.ts';
import type { TreeHead } from '../merkle/extension.ts';
import { HASH_BYTES } from '../merkle/hashing.ts';
import { isSize } from '../merkle/spans.ts';
import { controlAt, decimalOf, linesTextOf, shown } from '../text.ts';
import { MAX_NOTE_BYTES, type Note, parseNote } from './note.ts';

export interface Checkpoint extends TreeHead {
  /** Which log it is. */
  readonly origin: string;
  /** Signed along with the rest, and without a meaning in the specification. */
  readonly extensions: readonly string[];
}

export interface SignedCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly note: Note;
}

const FORMAT = 'checkpoint';

/** Reads a checkpoint with its signatures, without verifying them. */
export function parseSignedCheckpoint(input: string | Uint8Array): SignedCheckpoint {
  const note = parseNote(input);
  return { checkpoint: parseCheckpoint(note.text), note };
}

/** Reads the text of a checkpoint. */
export function parseCheckpoint(input: string): Checkpoint {
  const text = linesTextOf(input, FORMAT, MAX_NOTE_BYTES);
  if (!text.endsWith('\n')) throw new FormatError(FORMAT, 'does not end with a newline');
  const lines = text.slice(0, -1).split('\n');
  const empty = lines.indexOf('');
  if (empty !== -1) throw new FormatError(FORMAT, 'the line is empty', empty + 1);
  const [origin, digits, encoded, ...extensions] = lines;
  if (origin === undefined || digits === undefined || encoded === undefined)
    throw new FormatError(FORMAT, `has ${lines.length} lines, not the origin, the size and the root`);
  const size = decimalOf(digits);
  if (size === undefined) throw new FormatError(FORMAT, `${shown(digits)} is not the size of a tree`, 2);
  const root = fromBase64(encoded);
  if (root?.length !== HASH_BYTES) throw new FormatError(FORMAT, 'the root is not the base64 of 32 bytes', 3);
  return { origin, size, root, extensions };
}

/** Returns the text of a checkpoint, which is what is signed. */
export function formatCheckpoint({ origin, size, root, extensions }: Checkpoint): string {
  const lines = [origin, ...extensions];
  if (lines.some((line) => line === '' || line.includes('\n') || controlAt(line) !== -1 || !line.isWellFormed()))
    throw new RangeError('the origin and the extensions of a checkpoint are lines with text');
  if (!isSize(size) || root.length !== HASH_BYTES) throw new RangeError('a checkpoint has a size and a root');
  return `${[origin, size, toBase64(root), ...extensions].join('\n')}\n`;
}
