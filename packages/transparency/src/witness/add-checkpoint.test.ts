import { expect, it } from 'vitest';
import { givenLogKey, givenWitnessKey, ORIGIN } from '../../test/keys.ts';
import { leavesOf, naiveRoot, naiveSubproof } from '../../test/naive-tree.ts';
import { fuzz } from '../../test/parse-or-fail.ts';
import { verifyExtension } from '../merkle/extension.ts';
import { formatCheckpoint, parseSignedCheckpoint } from '../notes/checkpoint.ts';
import { formatNote } from '../notes/note.ts';
import { cosign, signerOf, signNote } from '../notes/sign-note.ts';
import { verifyNote } from '../notes/verify-note.ts';
import {
  formatAddCheckpoint,
  formatConflict,
  formatCosignatures,
  originHash,
  parseAddCheckpoint,
  parseConflict,
  parseCosignatures,
} from './add-checkpoint.ts';

const leaves = leavesOf(300);
const text = formatCheckpoint({ origin: ORIGIN, size: 300, root: naiveRoot(leaves), extensions: [] });

async function givenRequest(oldSize: number) {
  const signatures = [await signNote(text, signerOf(await givenLogKey()))];
  const proof = oldSize === 0 ? [] : naiveSubproof(oldSize, leaves);
  return { oldSize, proof, signed: parseSignedCheckpoint(formatNote({ text, signatures })) };
}

it('a request reads, is written back as it was, and convinces a witness', async () => {
  const body = formatAddCheckpoint(await givenRequest(129));
  expect(body.slice(0, 8)).toBe('old 129\n');
  const request = parseAddCheckpoint(body);
  expect(formatAddCheckpoint(request)).toBe(body);
  const old = { size: 129, root: naiveRoot(leaves.slice(0, 129)) };
  expect(verifyExtension(old, request.signed.checkpoint, request.proof)).toBe(true);
  const other = { size: 129, root: naiveRoot(leaves.slice(1, 130)) };
  expect(verifyExtension(other, request.signed.checkpoint, request.proof)).toBe(false);
});

it('the first request of a log has no proof', async () => {
  const body = formatAddCheckpoint(await givenRequest(0));
  expect(body.startsWith(`old 0\n\n${ORIGIN}\n`)).toBe(true);
  expect(parseAddCheckpoint(body)).toMatchObject({ oldSize: 0, proof: [] });
});

it('the cosignatures of the response verify once they are added to the checkpoint', async () => {
  const witness = await givenWitnessKey(1);
  const { signed } = await givenRequest(0);
  const body = formatCosignatures([await cosign(signed.note.text, signerOf(witness), 1234)]);
  const signatures = [...signed.note.signatures, ...parseCosignatures(body)];
  const { verified } = await verifyNote({ ...signed.note, signatures }, [witness]);
  expect(verified).toEqual([{ key: witness, time: 1234 }]);
});

it('the size in a conflict reads', () => {
  expect(parseConflict(formatConflict(20_852_014))).toBe(20_852_014);
  for (const body of ['5', '05\n', '\n', '5\n5\n', '-1\n', '9'.repeat(40)])
    expect(() => parseConflict(body)).toThrow('add-checkpoint response');
});

it.each([
  ['old 129', 'old 0129', 'line 1: is not old and the size of a tree'],
  ['old 129', 'new 129', 'line 1: is not old and the size of a tree'],
  ['old 129\n', 'old 129\nx\n', 'line 2: is not the base64 of a hash'],
  ['old 129\n', `old 129\n${`${'A'.repeat(43)}=\n`.repeat(64)}`, 'line 65: has more than 63 hashes'],
  ['\n300\n', '\n0300\n', "checkpoint, line 2: '0300' is not the size of a tree"],
])('rejects a request with %j replaced by %j', async (part, other, problem) => {
  const body = formatAddCheckpoint(await givenRequest(129));
  expect(() => parseAddCheckpoint(body.replace(part, other))).toThrow(problem);
});

it('the path of a log at a witness has the hash of its origin', () => {
  expect(originHash('example.com/behind-the-sofa')).toMatch(/^[0-9a-f]{64}$/);
  expect(originHash('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});

it('no body makes a parser throw anything but a FormatError', async () => {
  const witness = signerOf(await givenWitnessKey(1));
  await fuzz(parseAddCheckpoint, [formatAddCheckpoint(await givenRequest(129))]);
  await fuzz(parseCosignatures, [formatCosignatures([await cosign(text, witness, 5)])]);
  await fuzz(parseConflict, ['20852014\n']);
});
