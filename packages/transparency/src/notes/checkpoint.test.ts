import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { givenLogKey, givenWitnessKey, ORIGIN } from '../../test/keys.ts';
import { flipped } from '../../test/naive-tree.ts';
import { fuzz } from '../../test/parse-or-fail.ts';
import { MAX_SIZE } from '../merkle/spans.ts';
import { formatCheckpoint, parseCheckpoint, parseSignedCheckpoint } from './checkpoint.ts';
import { cosignedText, splitTime, timeBytes } from './cosigned-text.ts';
import { formatNote } from './note.ts';
import { cosign, signerOf, signNote } from './sign-note.ts';
import { verifyNote } from './verify-note.ts';

const TEXT = `${ORIGIN}\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n`;
const TIME = 1_679_315_147;

it('a checkpoint reads and is written back as it was', () => {
  const { root, ...rest } = parseCheckpoint(TEXT);
  expect(rest).toEqual({ origin: ORIGIN, size: 20_852_163, extensions: [] });
  expect([...root.subarray(0, 3)]).toEqual([0x0a, 0xc5, 0x18]);
  const lines = fc.stringMatching(/^[ -~]{1,40}$/);
  fc.assert(
    fc.property(lines, fc.maxSafeNat(), fc.array(lines, { maxLength: 4 }), (origin, size, extensions) => {
      const checkpoint = { origin, size, root, extensions };
      expect(parseCheckpoint(formatCheckpoint(checkpoint))).toEqual(checkpoint);
    }),
  );
});

it.each([
  [TEXT.replace('20852163', '020852163'), "line 2: '020852163' is not the size of a tree"],
  [TEXT.replace('20852163', '-1'), "line 2: '-1' is not the size of a tree"],
  [TEXT.replace('20852163', String(MAX_SIZE + 1)), 'is not the size of a tree'],
  [TEXT.replace('CsUY', 'CsU'), 'line 3: the root is not the base64 of 32 bytes'],
  [TEXT.replace('q2I=', 'q2J='), 'line 3: the root is not the base64 of 32 bytes'],
  [TEXT.replace(ORIGIN, ''), 'line 1: the line is empty'],
  [`${TEXT}\n`, 'line 4: the line is empty'],
  [TEXT.trimEnd(), 'does not end with a newline'],
  [`${ORIGIN}\n5\n`, 'has 2 lines, not the origin, the size and the root'],
  [`${TEXT}a\tb\n`, 'line 4: has a control character'],
])('rejects %j', (text, problem) => {
  expect(() => parseCheckpoint(text)).toThrow(problem);
});

it('a checkpoint with line breaks in its origin cannot be written', () => {
  const checkpoint = parseCheckpoint(TEXT);
  for (const origin of ['', 'a\n5', 'a\tb'])
    expect(() => formatCheckpoint({ ...checkpoint, origin })).toThrow('lines with text');
  expect(() => formatCheckpoint({ ...checkpoint, size: -1 })).toThrow('has a size and a root');
});

it('a witness signs the text below the time, in the form of the specification', () => {
  expect(cosignedText(TEXT, TIME)).toBe(`cosignature/v1\ntime 1679315147\n${TEXT}`);
  expect([...timeBytes(TIME)]).toEqual([0, 0, 0, 0, 0x64, 0x18, 0x50, 0xcb]);
  expect(splitTime(timeBytes(TIME))?.time).toBe(TIME);
  expect(splitTime(new Uint8Array(72).fill(255))).toBeUndefined();
  expect(splitTime(new Uint8Array(7))).toBeUndefined();
});

it('a checkpoint with the signature of its log and a cosignature verifies, with the time', async () => {
  const [log, witness] = [await givenLogKey(), await givenWitnessKey(1)];
  const signatures = [await signNote(TEXT, signerOf(log)), await cosign(TEXT, signerOf(witness), TIME)];
  const { checkpoint, note } = parseSignedCheckpoint(formatNote({ text: TEXT, signatures }));
  expect(checkpoint.size).toBe(20_852_163);
  const { verified, failed } = await verifyNote(note, [log, witness]);
  expect(failed).toEqual([]);
  expect(verified.map(({ key, time }) => [key.name, time])).toEqual([
    [log.name, undefined],
    [witness.name, TIME],
  ]);
});

it('a cosignature fails with any bit changed, also of its time', async () => {
  const witness = await givenWitnessKey(1);
  const cosignature = await cosign(TEXT, signerOf(witness), TIME);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 72 * 8 - 1 }), async (bit) => {
      const signatures = [{ ...cosignature, signature: flipped(cosignature.signature, bit) }];
      expect((await verifyNote({ text: TEXT, signatures }, [witness])).verified).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

it('a key for notes does not cosign, nor the other way round', async () => {
  const [log, witness] = [signerOf(await givenLogKey()), signerOf(await givenWitnessKey(1))];
  await expect(cosign(TEXT, log, TIME)).rejects.toThrow('signs without a time: use signNote');
  await expect(signNote(TEXT, witness)).rejects.toThrow('signs with a time: use cosign');
  await expect(cosign(TEXT, witness, 1.5)).rejects.toThrow('1.5 is not a time in whole seconds');
});

it('no text makes a parser throw anything but a FormatError', async () => {
  await fuzz(parseCheckpoint, [TEXT, `${TEXT}extension\n`]);
  await fuzz(parseSignedCheckpoint, [`${TEXT}\n\u{2014} a x08go/ZJkuBS9UG/\n`]);
});
