import { beforeAll, expect, it } from 'vitest';
import { givenLogKey, givenWitnessKey, ORIGIN } from '../../test/keys.ts';
import { flipped, leavesOf, naivePath, naiveRoot } from '../../test/naive-tree.ts';
import { fuzz } from '../../test/parse-or-fail.ts';
import type { Hash } from '../merkle/hashing.ts';
import { formatCheckpoint, parseSignedCheckpoint } from '../notes/checkpoint.ts';
import { formatVerifierKey } from '../notes/keys.ts';
import { formatNote, type NoteSignature } from '../notes/note.ts';
import { cosign, signerOf, signNote } from '../notes/sign-note.ts';
import { formatProof, parseProof, type TlogProof } from './tlog-proof.ts';
import { parsePolicy, type TrustPolicy } from './trust-policy.ts';
import { verifyProof } from './verify-proof.ts';

const SIZE = 300;
const INDEX = 257;
const leaves = leavesOf(SIZE);
const leaf = leaves[INDEX] ?? new Uint8Array(32);
const text = formatCheckpoint({ origin: ORIGIN, size: SIZE, root: naiveRoot(leaves), extensions: [] });

let signatures: Record<'log' | 'one' | 'two', NoteSignature>;
let policy: TrustPolicy;
let proof: TlogProof;

const proofWith = (...used: NoteSignature[]): TlogProof => ({
  ...{ extra: undefined, index: INDEX, hashes: naivePath(INDEX, leaves) },
  signed: parseSignedCheckpoint(formatNote({ text, signatures: used })),
});

beforeAll(async () => {
  const [log, one, two] = await Promise.all([givenLogKey(), givenWitnessKey(1), givenWitnessKey(2)]);
  signatures = {
    log: await signNote(text, signerOf(log)),
    one: await cosign(text, signerOf(one), 1000),
    two: await cosign(text, signerOf(two), 2000),
  };
  policy = parsePolicy(
    `log ${formatVerifierKey(log)}
witness one ${formatVerifierKey(one)}
witness two ${formatVerifierKey(two)}
group both all one two
quorum both`,
  );
  proof = proofWith(signatures.log, signatures.one, signatures.two);
});

it('a proof reads, is written back as it was, and verifies with the times of its witnesses', async () => {
  const file = formatProof(proof);
  expect(file.split('\n').slice(0, 2)).toEqual(['c2sp.org/tlog-proof@v1', 'index 257']);
  const read = parseProof(file);
  expect(formatProof(read)).toBe(file);
  expect(await verifyProof(read, leaf, policy)).toMatchObject({
    ok: true,
    checkpoint: { size: SIZE },
    log: { name: ORIGIN },
    cosigned: [
      { witness: 'one', time: 1000 },
      { witness: 'two', time: 2000 },
    ],
  });
});

it('extra data is carried along', () => {
  const extra = new TextEncoder().encode('age-v1.2.1');
  const file = formatProof({ ...proof, extra });
  expect(file.split('\n')[1]).toBe('extra YWdlLXYxLjIuMQ==');
  expect(parseProof(file).extra).toEqual(extra);
});

const problemOf = async (given: TlogProof, hash: Hash = leaf, trust = policy) => {
  const verdict = await verifyProof(given, hash, trust);
  return verdict.ok ? 'verified' : verdict.problem;
};

it('another leaf, index or hash is found', async () => {
  expect(await problemOf(proof)).toBe('verified');
  const notThere = (index: number) => `the leaf is not at index ${index} of the tree of the checkpoint`;
  expect(await problemOf(proof, leaves[0])).toBe(notThere(257));
  expect(await problemOf({ ...proof, index: 256 })).toBe(notThere(256));
  expect(await problemOf({ ...proof, index: 300 })).toBe('leaf 300 is not in a tree of 300 leaves');
  const [first = leaf, ...others] = proof.hashes;
  expect(await problemOf({ ...proof, hashes: [flipped(first, 3), ...others] })).toBe(notThere(257));
});

it('a missing or wrong signature is found', async () => {
  const { log, one, two } = signatures;
  const notQuorum = "cosigned the checkpoint, which is not the quorum 'both'";
  expect(await problemOf(proofWith(log, one))).toBe(`one ${notQuorum}`);
  expect(await problemOf(proofWith(log))).toBe(`no witness of the policy ${notQuorum}`);
  expect(await problemOf(proofWith(log, one, one))).toBe(`one ${notQuorum}`);
  expect(await problemOf(proofWith(one, two))).toBe(
    `the log '${ORIGIN}' did not sign the checkpoint with a key of the policy`,
  );
  const wrong = { ...two, signature: flipped(two.signature, 500) };
  expect(await problemOf(proofWith(log, one, wrong))).toBe("the signature of 'witness-2.example/w' is wrong");
  expect(await problemOf(proof, leaf, parsePolicy('quorum none'))).toBe(
    `the policy has no log with the origin '${ORIGIN}'`,
  );
});

it('a log of the policy cannot sign for the origin of another', async () => {
  const other = await givenLogKey(7, 'another.example/log');
  const trust = parsePolicy(`log ${formatVerifierKey(other)}\nquorum none`);
  expect(await problemOf(proofWith(await signNote(text, signerOf(other))), leaf, trust)).toContain('has no log with');
});

it.each([
  [(file: string) => file.replace('@v1', '@v2'), 'line 1: is not c2sp.org/tlog-proof@v1'],
  [(file: string) => file.replace('index 257', 'index 0257'), 'line 2: is not index and a number'],
  [(file: string) => file.replace('index 257\n', ''), 'line 2: is not index and a number'],
  [(file: string) => file.replace('index', 'extra ?\nindex'), 'line 2: the extra data is not base64'],
  [(file: string) => file.replace('index 257\n', 'index 257\nAAAA\n'), 'line 3: is not the base64 of a hash'],
  [
    (file: string) => file.replace('index 257\n', `index 257\n${`${'A'.repeat(43)}=\n`.repeat(64)}`),
    'line 66: has more than 63 hashes',
  ],
  [(file: string) => file.slice(0, file.indexOf('\n\n')), 'has no empty line above the checkpoint'],
])('rejects a file: %o', (spoil, problem) => {
  expect(() => parseProof(spoil(formatProof(proof)))).toThrow(problem);
});

it('no text makes the parser throw anything but a FormatError', async () => {
  await fuzz(parseProof, [formatProof(proof), formatProof({ ...proof, extra: Uint8Array.of(1) })]);
});
