import { fromBase64 } from '../bytes.ts';
import { FormatError } from '../format-error.ts';
import { HASH_BYTES, type Hash } from '../merkle/hashing.ts';

/** No proof in a tree of 2^63 leaves has more hashes. */
export const MAX_PROOF_HASHES = 63;

/** Reads the lines of a proof, one hash in each. `firstLine` is where they begin in the file. */
export function parseHashLines(lines: readonly string[], format: string, firstLine: number): Hash[] {
  if (lines.length > MAX_PROOF_HASHES)
    throw new FormatError(format, `has more than ${MAX_PROOF_HASHES} hashes`, firstLine + MAX_PROOF_HASHES);
  return lines.map((line, i) => {
    const hash = fromBase64(line);
    if (hash?.length !== HASH_BYTES) throw new FormatError(format, 'is not the base64 of a hash', firstLine + i);
    return hash;
  });
}

export interface ProofAndNote {
  readonly head: readonly string[];
  /** As it is in the file, because it is signed. */
  readonly note: string;
}

/** Splits what stands above the first empty line of a file into lines, and leaves the checkpoint below it as it is. */
export function splitAtCheckpoint(text: string, format: string): ProofAndNote {
  const end = text.indexOf('\n\n');
  if (end === -1) throw new FormatError(format, 'has no empty line above the checkpoint');
  return { head: text.slice(0, end).split('\n'), note: text.slice(end + 2) };
}
