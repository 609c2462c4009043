import { concatBytes, fromBase64, toBase64 } from '../bytes.ts';
import { FormatError } from '../format-error.ts';
import { controlAt, lineAt, linesTextOf } from '../text.ts';
import { checkKeyName, keyNameProblem } from './key-name.ts';
import { keyIdBytes, keyIdFrom } from './keys.ts';

/** A text and its signatures, of which none has been verified. */
export interface Note {
  /** With the newline at its end. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly name: string;
  readonly keyId: number;
  /** What follows the ID of the key: for a cosignature, the time and the signature. */
  readonly signature: Uint8Array;
}

/** The size of a note with 64 signatures of the largest kind, and text. */
export const MAX_NOTE_BYTES = 512 * 1024;
export const MAX_SIGNATURES = 64;
const FORMAT = 'signed note';
const KEY_ID_BYTES = 4;
const DASH = '\u{2014} ';

export function parseNote(input: string | Uint8Array): Note {
  const whole = linesTextOf(input, FORMAT, MAX_NOTE_BYTES);
  const end = whole.lastIndexOf('\n\n');
  if (end === -1) throw new FormatError(FORMAT, 'has no blank line between text and signatures');
  const text = whole.slice(0, end + 1);
  return { text, signatures: parseSignatureLines(whole.slice(end + 2), FORMAT, lineAt(whole, end + 2)) };
}

export function formatNote({ text, signatures }: Note): string {
  if (!text.endsWith('\n') || controlAt(text) !== -1 || !text.isWellFormed())
    throw new RangeError('the text of a note ends with a newline, and has no other control characters');
  return `${text}\n${formatSignatureLines(signatures)}`;
}

export function formatSignatureLines(signatures: readonly NoteSignature[]): string {
  return signatures
    .map(({ name, keyId, signature }) => {
      const problem = keyNameProblem(name);
      if (problem !== undefined) throw new RangeError(problem);
      return `${DASH}${name} ${toBase64(concatBytes(keyIdBytes(keyId), signature))}\n`;
    })
    .join('');
}

/** Reads at least one line with a signature. `firstLine` is where they begin in the file. */
export function parseSignatureLines(text: string, format: string, firstLine: number): NoteSignature[] {
  if (!text.endsWith('\n'))
    throw new FormatError(format, text === '' ? 'has no signature' : 'the last line does not end with a newline');
  const lines = text.slice(0, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw new FormatError(format, `has more than ${MAX_SIGNATURES} signatures`);
  return lines.map((line, i) => parseSignatureLine(line, format, firstLine + i));
}

function parseSignatureLine(line: string, format: string, at: number): NoteSignature {
  const [name, encoded, ...others] = line.startsWith(DASH) ? line.slice(DASH.length).split(' ') : [];
  if (name === undefined || encoded === undefined || others.length > 0)
    throw new FormatError(format, 'is not a signature: a dash (U+2014), the name of a key and base64', at);
  checkKeyName(name, format, at);
  const bytes = fromBase64(encoded);
  if (!bytes) throw new FormatError(format, 'the signature is not base64', at);
  if (bytes.length <= KEY_ID_BYTES) throw new FormatError(format, 'the signature is too short', at);
  return { name, keyId: keyIdFrom(bytes), signature: bytes.slice(KEY_ID_BYTES) };
}
