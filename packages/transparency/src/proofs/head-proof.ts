import { fromBase64, toBase64, toHex } from '../bytes.ts';
import { type Fields, fieldOf, fieldsOf, isText, isTexts, parseCanonical } from '../canonical.ts';
import { FormatError } from '../format-error.ts';
import type { Hash } from '../merkle/hashing.ts';
import { parseSignedCheckpoint, type SignedCheckpoint } from '../notes/checkpoint.ts';
import { formatNote } from '../notes/note.ts';
import { textOf } from '../text.ts';
import { hashesText, type OrgHead, readHashes, readHead } from './proven-entry.ts';
import { formatProof, parseProof, type TlogProof } from './tlog-proof.ts';

/** The proof that the head of the log of an org is in the region log. */
export interface HeadProof {
  readonly org: OrgHead;
  /** The place of the leaf with that head in the region log, and the checkpoint that covers it. */
  readonly region: Omit<TlogProof, 'extra'>;
  readonly timeStamp: ProofTimeStamp | null;
}

/** A time stamp over a checkpoint of the region log that covers the same leaf. */
export interface ProofTimeStamp {
  readonly signed: SignedCheckpoint;
  /** From the smaller of the two checkpoints to the larger. */
  readonly consistency: readonly Hash[];
  /** An RFC 3161 token over the bytes of the signed note. */
  readonly token: Uint8Array;
}

const FORMAT = 'ledger head proof';
const VERSION = 1;
export const MAX_EXTRA_TEXT = 1024 * 1024;

/** Returns `ledger/region.tlog-proof`: a C2SP tlog-proof of the leaf in the region log, with the head as extra data. */
export function formatHeadProof({ org, region, timeStamp }: HeadProof): string {
  const extra = `{"org":${orgText(org)},"time_stamp":${timeStampText(timeStamp)},"v":${VERSION}}`;
  return formatProof({ ...region, extra: new TextEncoder().encode(extra) });
}

/** Reads a proof of a head, and verifies nothing. */
export function parseHeadProof(input: string | Uint8Array): HeadProof {
  const { extra, ...region } = parseProof(input);
  return parseCanonical(extraText(extra, FORMAT), FORMAT, {
    read(value): HeadProof {
      const fields = versioned(value, FORMAT);
      const org = readHead(fieldsOf(fields['org'], FORMAT, 'org'), FORMAT);
      return { org, region, timeStamp: readTimeStamp(fields['time_stamp'], FORMAT) };
    },
    write: ({ org, timeStamp }) => `{"org":${orgText(org)},"time_stamp":${timeStampText(timeStamp)},"v":${VERSION}}`,
  });
}

export function extraText(extra: Uint8Array | undefined, format: string): string {
  if (!extra) throw new FormatError(format, 'has no extra data');
  return textOf(extra, format, MAX_EXTRA_TEXT);
}

export function versioned(value: unknown, format: string): Fields {
  const fields = fieldsOf(value, format);
  if (fields['v'] !== VERSION) throw new FormatError(format, `is not of version ${VERSION}`);
  return fields;
}

function orgText({ log, origin, root, size }: OrgHead): string {
  return JSON.stringify({ log, origin, root: toHex(root), size });
}

export function timeStampText(stamp: ProofTimeStamp | null): string {
  if (!stamp) return 'null';
  const [checkpoint, token] = [formatNote(stamp.signed.note), toBase64(stamp.token)];
  return (
    `{"checkpoint":${JSON.stringify(checkpoint)},"consistency":${hashesText(stamp.consistency)},` +
    `"token":${JSON.stringify(token)}}`
  );
}

export function readTimeStamp(value: unknown, format: string): ProofTimeStamp | null {
  if (value === null) return null;
  const stamp = fieldsOf(value, format, 'time_stamp');
  const token = fromBase64(fieldOf(stamp, 'token', isText, format));
  if (!token || token.length === 0) throw new FormatError(format, 'the time stamp is not base64');
  return {
    signed: parseSignedCheckpoint(fieldOf(stamp, 'checkpoint', isText, format)),
    consistency: readHashes(fieldOf(stamp, 'consistency', isTexts, format), format),
    token,
  };
}
