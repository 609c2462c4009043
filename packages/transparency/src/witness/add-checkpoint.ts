import { toHex } from '../bytes.ts';
import { FormatError } from '../format-error.ts';
import { type Hash, sha256 } from '../merkle/hashing.ts';
import { isSize } from '../merkle/spans.ts';
import { parseSignedCheckpoint, type SignedCheckpoint } from '../notes/checkpoint.ts';
import {
  formatNote,
  formatSignatureLines,
  MAX_NOTE_BYTES,
  type NoteSignature,
  parseSignatureLines,
} from '../notes/note.ts';
import { parseHashLines, splitAtCheckpoint } from '../proofs/hash-lines.ts';
import { formatHashes } from '../proofs/tlog-proof.ts';
import { decimalOf, linesTextOf, utf8 } from '../text.ts';

/** The body of a request to a witness: a checkpoint, and the proof that it extends the one it cosigned last. */
export interface AddCheckpoint {
  readonly oldSize: number;
  readonly proof: readonly Hash[];
  readonly signed: SignedCheckpoint;
}

/** The content type of the response with status 409, which has the size that the witness cosigned last. */
export const TLOG_SIZE_TYPE = 'text/x.tlog.size';

const REQUEST = 'add-checkpoint request';
const RESPONSE = 'add-checkpoint response';
const OLD = 'old ';
/** The lines above the checkpoint: at most 64, of at most 45 characters. */
const MAX_HEAD_BYTES = 4096;
const MAX_DIGITS = 32;

export function parseAddCheckpoint(input: string | Uint8Array): AddCheckpoint {
  const text = linesTextOf(input, REQUEST, MAX_NOTE_BYTES + MAX_HEAD_BYTES);
  const { head, note } = splitAtCheckpoint(text, REQUEST);
  const [first = '', ...lines] = head;
  const oldSize = first.startsWith(OLD) ? decimalOf(first.slice(OLD.length)) : undefined;
  if (oldSize === undefined) throw new FormatError(REQUEST, 'is not old and the size of a tree', 1);
  return { oldSize, proof: parseHashLines(lines, REQUEST, 2), signed: parseSignedCheckpoint(note) };
}

export function formatAddCheckpoint({ oldSize, proof, signed }: AddCheckpoint): string {
  if (!isSize(oldSize)) throw new RangeError(`${oldSize} is not the size of a tree`);
  return [`${OLD}${oldSize}`, ...formatHashes(proof), '', formatNote(signed.note)].join('\n');
}

/** Reads the cosignatures that a witness responds with, without verifying them. */
export function parseCosignatures(input: string | Uint8Array): NoteSignature[] {
  return parseSignatureLines(linesTextOf(input, RESPONSE, MAX_NOTE_BYTES), RESPONSE, 1);
}

export function formatCosignatures(signatures: readonly NoteSignature[]): string {
  return formatSignatureLines(signatures);
}

/** Reads the size that a witness responds with when another one was sent. */
export function parseConflict(input: string | Uint8Array): number {
  const text = linesTextOf(input, RESPONSE, MAX_DIGITS);
  const size = text.endsWith('\n') ? decimalOf(text.slice(0, -1)) : undefined;
  if (size === undefined) throw new FormatError(RESPONSE, 'is not the size of a tree and a newline');
  return size;
}

export function formatConflict(size: number): string {
  if (!isSize(size)) throw new RangeError(`${size} is not the size of a tree`);
  return `${size}\n`;
}

/** Returns what stands for a log in the path at which a witness serves its latest checkpoint. */
export function originHash(origin: string): string {
  return toHex(sha256(utf8(origin)));
}
