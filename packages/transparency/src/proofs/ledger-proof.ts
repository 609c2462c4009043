import { toHex } from '../bytes.ts';
import { type Fields, fieldsOf, parseCanonical } from '../canonical.ts';
import { extraText, type HeadProof, readTimeStamp, timeStampText, versioned } from './head-proof.ts';
import { entryText, hashesText, type ProvenEntry, readEntry, readHead, readPlace } from './proven-entry.ts';
import { formatProof, parseProof } from './tlog-proof.ts';

/** The proof that an entry is in the ledger: in the log of its org, and the head of that in the region log. */
export interface LedgerProof extends HeadProof {
  readonly entry: ProvenEntry;
}

const FORMAT = 'ledger proof';

/** Returns a proof file: a C2SP tlog-proof of the leaf in the region log, with the rest as extra data. */
export function formatLedgerProof(proof: LedgerProof): string {
  return formatProof({ ...proof.region, extra: new TextEncoder().encode(ledgerExtra(proof)) });
}

/** Reads a proof file, and verifies nothing. */
export function parseLedgerProof(input: string | Uint8Array): LedgerProof {
  const { extra, ...region } = parseProof(input);
  return parseCanonical(extraText(extra, FORMAT), FORMAT, {
    read: (value) => ({ ...readExtra(versioned(value, FORMAT)), region }),
    write: ledgerExtra,
  });
}

function readExtra(fields: Fields): Omit<LedgerProof, 'region'> {
  const org = fieldsOf(fields['org'], FORMAT, 'org');
  return {
    entry: { ...readEntry(fields, FORMAT), ...readPlace(org, FORMAT) },
    org: readHead(org, FORMAT),
    timeStamp: readTimeStamp(fields['time_stamp'], FORMAT),
  };
}

function ledgerExtra({ entry, org, timeStamp }: LedgerProof): string {
  const { log, origin, root, size } = org;
  const place = [
    `"hashes":${hashesText(entry.hashes)}`,
    `"index":${entry.index}`,
    `"log":${JSON.stringify(log)}`,
    `"origin":${JSON.stringify(origin)}`,
    `"root":"${toHex(root)}"`,
    `"size":${size}`,
  ];
  return `{"entry":${entryText(entry)},"org":{${place.join(',')}},"time_stamp":${timeStampText(timeStamp)},"v":1}`;
}
