import {
  FormatError,
  formatNote,
  type NoteSignature,
  parseCosignatures,
  parseSignedCheckpoint,
  type VerifierKey,
  verifySignature,
} from '@waymark/transparency';
import { fromEpochSeconds } from '../../time.ts';
import type { Cosignature } from './witness.store.ts';
import { WitnessProblem } from './witness-problem.ts';

/** How far the clock of a witness may be ahead. Behind, it may be for any reason: it is its own statement. */
const TOLERANCE_MS = 10 * 60_000;

/** Reads the response of a witness, and verifies its cosignature over the checkpoint. */
export async function readCosignature(
  body: Uint8Array,
  note: string,
  key: VerifierKey,
  now: Date,
): Promise<Cosignature> {
  const { text } = parseSignedCheckpoint(note).note;
  const own = parsed(body).filter(({ name, keyId }) => name === key.name && keyId === key.keyId);
  const [signature] = own;
  if (!signature) throw new WitnessProblem('It responded without a cosignature of its key');
  const verified = await verifySignature(text, signature, key);
  if (verified?.time === undefined) throw new WitnessProblem('It responded with a cosignature that is wrong');
  const cosignedAt = fromEpochSeconds(verified.time);
  if (Number.isNaN(cosignedAt.getTime()) || cosignedAt.getTime() > now.getTime() + TOLERANCE_MS)
    throw new WitnessProblem('It cosigned with a time in the future: its clock is wrong, or that of this server');
  return { line: lineOf(text, signature), cosignedAt };
}

function parsed(body: Uint8Array): NoteSignature[] {
  try {
    return parseCosignatures(body);
  } catch (error) {
    if (error instanceof FormatError) throw new WitnessProblem('It responded with something else than cosignatures');
    throw error;
  }
}

function lineOf(text: string, signature: NoteSignature): string {
  return formatNote({ text, signatures: [signature] }).slice(text.length + 1);
}
