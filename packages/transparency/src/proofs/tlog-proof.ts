import { fromBase64, toBase64 } from '../bytes.ts';
import { FormatError } from '../format-error.ts';
import { HASH_BYTES, type Hash } from '../merkle/hashing.ts';
import { isSize } from '../merkle/spans.ts';
import { parseSignedCheckpoint, type SignedCheckpoint } from '../notes/checkpoint.ts';
import { formatNote, MAX_NOTE_BYTES } from '../notes/note.ts';
import { decimalOf, linesTextOf } from '../text.ts';
import { MAX_PROOF_HASHES, parseHashLines, splitAtCheckpoint } from './hash-lines.ts';

/** What is needed to verify that a leaf is in a log, without the log: a `.tlog-proof` file. */
export interface TlogProof {
  /** Anything that the application adds. Nothing authenticates it. */
  readonly extra: Uint8Array | undefined;
  readonly index: number;
  readonly hashes: readonly Hash[];
  readonly signed: SignedCheckpoint;
}

const FORMAT = 'tlog-proof';
const FIRST_LINE = 'c2sp.org/tlog-proof@v1';
const EXTRA = 'extra ';
const INDEX = 'index ';
const MAX_EXTRA_BYTES = 1024 * 1024;
/** Base64 is a third longer; the proof itself fits in the rest. */
const MAX_BYTES = MAX_NOTE_BYTES + 2 * MAX_EXTRA_BYTES;

export function parseProof(input: string | Uint8Array): TlogProof {
  const text = linesTextOf(input, FORMAT, MAX_BYTES);
  const { head, note } = splitAtCheckpoint(text, FORMAT);
  const [first = '', second = ''] = head;
  if (first !== FIRST_LINE) throw new FormatError(FORMAT, `is not ${FIRST_LINE}`, 1);
  const extra = second.startsWith(EXTRA) ? parseExtra(second) : undefined;
  const at = extra ? 2 : 1;
  const line = head[at] ?? '';
  const index = line.startsWith(INDEX) ? decimalOf(line.slice(INDEX.length)) : undefined;
  if (index === undefined) throw new FormatError(FORMAT, 'is not index and a number', at + 1);
  const hashes = parseHashLines(head.slice(at + 1), FORMAT, at + 2);
  return { extra, index, hashes, signed: parseSignedCheckpoint(note) };
}

function parseExtra(line: string): Uint8Array {
  const extra = fromBase64(line.slice(EXTRA.length));
  if (!extra || extra.length === 0) throw new FormatError(FORMAT, 'the extra data is not base64', 2);
  if (extra.length > MAX_EXTRA_BYTES)
    throw new FormatError(FORMAT, `the extra data is longer than ${MAX_EXTRA_BYTES} bytes`, 2);
  return extra;
}

export function formatProof({ extra, index, hashes, signed }: TlogProof): string {
  if (!isSize(index)) throw new RangeError(`${index} is not the index of a leaf`);
  if (extra && (extra.length === 0 || extra.length > MAX_EXTRA_BYTES))
    throw new RangeError(`extra data has between 1 and ${MAX_EXTRA_BYTES} bytes`);
  return [
    ...[FIRST_LINE, ...(extra ? [`${EXTRA}${toBase64(extra)}`] : []), `${INDEX}${index}`],
    ...formatHashes(hashes),
    ...['', formatNote(signed.note)],
  ].join('\n');
}

export function formatHashes(hashes: readonly Hash[]): string[] {
  if (hashes.length > MAX_PROOF_HASHES || hashes.some(({ length }) => length !== HASH_BYTES))
    throw new RangeError(`a proof has at most ${MAX_PROOF_HASHES} hashes of ${HASH_BYTES} bytes`);
  return hashes.map(toBase64);
}
