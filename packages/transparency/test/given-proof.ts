import { type EntryLeaf, formatLeaf } from '../src/entries/entry-leaf.ts';
import { actorDigest, payloadDigest } from '../src/entries/keyed-digest.ts';
import { orgLogOrigin, regionOrigin } from '../src/entries/region-leaf.ts';
import type { Hash } from '../src/merkle/hashing.ts';
import { formatCheckpoint, parseSignedCheckpoint, type SignedCheckpoint } from '../src/notes/checkpoint.ts';
import { formatVerifierKey } from '../src/notes/keys.ts';
import { formatNote } from '../src/notes/note.ts';
import { cosign, signerOf, signNote } from '../src/notes/sign-note.ts';
import type { LedgerProof } from '../src/proofs/ledger-proof.ts';
import { type OrgHead, regionLeafOf } from '../src/proofs/proven-entry.ts';
import { givenLogKey, givenWitnessKey } from './keys.ts';
import { leavesOf, naiveLeafHash, naivePath, naiveRoot, naiveSubproof } from './naive-tree.ts';

export const REGION = regionOrigin('waymark.example/eu', 1);
const LOG_ID = '0190b1f0-0000-4000-8000-00000000000a';
const COSIGNED_AT = 1_795_000_000;

const nonce = new Uint8Array(32).fill(9);

export const LEAF: EntryLeaf = {
  actor_digest: actorDigest('Ada Lovelace', nonce),
  actor_id: '0190b1f0-0000-7000-8000-000000000001',
  actor_kind: 'user',
  at: '2026-11-18T10:37:00.123Z',
  id: '0190b1f0-0000-7000-8000-000000000002',
  payload_digest: payloadDigest('{"name":"wéb"}', nonce),
  subject_id: '0190b1f0-0000-7000-8000-000000000003',
  subject_kind: 'flow',
  subject_seq: 7,
  type: 'flow.created',
  version: 1,
};

const bytes = (text: string) => new TextEncoder().encode(text);

/** Returns the hashes with one replaced. */
const withLeaf = (leaves: readonly Hash[], index: number, leaf: Hash) => leaves.with(index, leaf);

export interface Sizes {
  readonly org?: number;
  readonly index?: number;
  readonly region?: number;
  readonly regionIndex?: number;
  /** The size of the stamped checkpoint. */
  readonly stamped?: number;
}

/** A proof with two witnesses, and a policy that requires both. The token of its time stamp is not one. */
export async function givenProof(sizes: Sizes = {}): Promise<{ proof: LedgerProof; policy: string }> {
  const { org: orgSize = 20, index = 7, region: size = 50, regionIndex = 33, stamped } = sizes;
  const orgLeaves = withLeaf(leavesOf(orgSize), index, naiveLeafHash(bytes(formatLeaf(LEAF))));
  const org: OrgHead = {
    log: LOG_ID,
    origin: orgLogOrigin(REGION, LOG_ID),
    size: orgSize,
    root: naiveRoot(orgLeaves),
  };
  const all = withLeaf(leavesOf(Math.max(size, stamped ?? 0)), regionIndex, naiveLeafHash(bytes(regionLeafOf(org))));
  const leaves = all.slice(0, size);
  const small = Math.min(size, stamped ?? size);
  const proof: LedgerProof = {
    entry: {
      ...{ leaf: LEAF, actorName: 'Ada Lovelace', nonce, payload: '{"name":"wéb"}' },
      ...{ index, hashes: naivePath(index, orgLeaves) },
    },
    org,
    region: {
      index: regionIndex,
      hashes: naivePath(regionIndex, leaves),
      signed: await signedHead(leaves, true),
    },
    timeStamp:
      stamped === undefined
        ? null
        : {
            signed: await signedHead(all.slice(0, stamped), false),
            consistency: naiveSubproof(small, all.slice(0, Math.max(size, stamped))),
            token: bytes('token'),
          },
  };
  return { proof, policy: await givenPolicy() };
}

async function givenPolicy(): Promise<string> {
  const [log, one, two] = await Promise.all([givenLogKey(1, REGION), givenWitnessKey(1), givenWitnessKey(2)]);
  const witnesses = `witness one ${formatVerifierKey(one)}\nwitness two ${formatVerifierKey(two)}`;
  return `log ${formatVerifierKey(log)}\n${witnesses}\ngroup both all one two\nquorum both\n`;
}

async function signedHead(leaves: readonly Hash[], isCosigned: boolean): Promise<SignedCheckpoint> {
  const [log, one, two] = await Promise.all([givenLogKey(1, REGION), givenWitnessKey(1), givenWitnessKey(2)]);
  const text = formatCheckpoint({ origin: REGION, size: leaves.length, root: naiveRoot(leaves), extensions: [] });
  const signatures = [await signNote(text, signerOf(log))];
  if (isCosigned) {
    signatures.push(await cosign(text, signerOf(one), COSIGNED_AT), await cosign(text, signerOf(two), COSIGNED_AT + 2));
  }
  return parseSignedCheckpoint(formatNote({ text, signatures }));
}
