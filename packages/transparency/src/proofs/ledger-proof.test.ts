import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { givenProof, LEAF } from '../../test/given-proof.ts';
import { flipped } from '../../test/naive-tree.ts';
import { fuzz } from '../../test/parse-or-fail.ts';
import { FormatError } from '../format-error.ts';
import { leafHashOf } from '../merkle/hashing.ts';
import { utf8 } from '../text.ts';
import { formatHeadProof, parseHeadProof } from './head-proof.ts';
import { formatLedgerProof, type LedgerProof, parseLedgerProof } from './ledger-proof.ts';
import { formatEntry, parseEntry, regionLeafOf } from './proven-entry.ts';
import { parseProof } from './tlog-proof.ts';
import { parsePolicy } from './trust-policy.ts';
import { verifyLedgerProof } from './verify-ledger-proof.ts';
import { verifyProof } from './verify-proof.ts';

const { proof, policy: trust } = await givenProof();
const policy = parsePolicy(trust);
const file = formatLedgerProof(proof);

async function outcomesOf(given: LedgerProof, against = policy) {
  const { steps } = await verifyLedgerProof(given, against);
  return Object.fromEntries(steps.map(({ name, outcome }) => [name, outcome]));
}

const ALL_OK = {
  ...{ content: 'ok', org_log: 'ok', region_log: 'ok', signature: 'ok', witnesses: 'ok' },
  time_stamp: 'not_checked',
};

it('a proof reads, is written back as it was, and says in words what it proves', async () => {
  const read = parseLedgerProof(file);
  expect(formatLedgerProof(read)).toBe(file);
  const verdict = await verifyLedgerProof(read, policy);
  expect(verdict).toMatchObject({
    ok: true,
    checkpoint: { size: 50 },
    cosigned: [{ witness: 'one' }, { witness: 'two' }],
  });
  expect(verdict.steps.map(({ says }) => says)).toEqual([
    'The content and the name of the actor are what was recorded',
    'The entry is at index 7 of the log of the org, which has 20 entries',
    'The head of the log of the org is at index 33 of the region log, in its checkpoint of 50 entries',
    "The checkpoint was signed by 'waymark.example/eu/1'",
    "Cosigned by 'one' at 2026-11-18T11:06:40Z, 'two' at 2026-11-18T11:06:42Z",
    'There is no time stamp',
  ]);
});

it('any C2SP tool can verify the leaf of the region log in it', async () => {
  const leafHash = leafHashOf(utf8(regionLeafOf(proof.org)));
  expect(await verifyProof(parseProof(file), leafHash, policy)).toMatchObject({ ok: true });
});

it('the head and the entry of a package are the same proof in two parts', () => {
  const { entry, ...head } = proof;
  expect(parseHeadProof(formatHeadProof(head))).toEqual(head);
  const line = formatEntry(entry);
  expect(parseEntry(line)).toEqual(entry);
  expect(Object.keys(JSON.parse(line) as object)).toEqual(['entry', 'hashes', 'index']);
});

it('any size of the two logs proves, and any stamped checkpoint of them', async () => {
  const shape = fc.record({
    org: fc.integer({ min: 1, max: 40 }),
    region: fc.integer({ min: 1, max: 40 }),
    stamped: fc.option(fc.integer({ min: 1, max: 40 })),
    at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ org, region, stamped, at }) => {
      const index = Math.floor(at * org);
      const regionIndex = Math.floor(at * Math.min(region, stamped ?? region));
      const given = await givenProof({ org, index, region, regionIndex, ...(stamped !== null && { stamped }) });
      const read = parseLedgerProof(formatLedgerProof(given.proof));
      const verifyTimeStamp = async (token: Uint8Array) => {
        expect(new TextDecoder().decode(token)).toBe('token');
        return { at: new Date(0), authority: 'The authority' };
      };
      const verdict = await verifyLedgerProof(read, policy, { verifyTimeStamp });
      expect(verdict.steps.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
      expect(verdict.steps.at(-1)?.outcome).toBe(stamped === null ? 'not_checked' : 'ok');
    }),
    { numRuns: 60 },
  );
});

it('any changed byte is found', async () => {
  const bytes = utf8(file);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length * 8 - 1 }), async (bit) => {
      const changed = flipped(bytes, bit);
      const read = readOrUndefined(changed);
      // Base64 in the extra data, and everything else, has one form: what reads has another meaning.
      if (read) expect((await verifyLedgerProof(read, policy)).ok, `bit ${bit}`).toBe(false);
    }),
    { numRuns: 1500 },
  );
});

it('any changed byte of the extra data is found, also where its base64 is right', async () => {
  const parts = parseProof(file);
  const extra = parts.extra ?? new Uint8Array();
  const withExtra = (changed: Uint8Array) =>
    utf8(
      `${file.split('\n')[0]}\nextra ${btoa(String.fromCharCode(...changed))}\n${file.split('\n').slice(2).join('\n')}`,
    );
  expect(new TextDecoder().decode(withExtra(extra))).toBe(file);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: extra.length * 8 - 1 }), async (bit) => {
      const read = readOrUndefined(withExtra(flipped(extra, bit)));
      if (read) expect((await verifyLedgerProof(read, policy)).ok, `bit ${bit}`).toBe(false);
    }),
    { numRuns: 1500 },
  );
});

function readOrUndefined(bytes: Uint8Array): LedgerProof | undefined {
  try {
    return parseLedgerProof(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    return undefined;
  }
}

it('the step that differs is named', async () => {
  expect(await outcomesOf(proof)).toEqual(ALL_OK);
  const { entry, org, region } = proof;
  const failing = async (given: LedgerProof) => {
    const outcomes = Object.entries(await outcomesOf(given));
    return outcomes.flatMap(([name, outcome]) => (outcome === 'failed' ? [name] : []));
  };
  expect(await failing({ ...proof, entry: { ...entry, payload: '{"name":"other"}' } })).toEqual(['content']);
  expect(await failing({ ...proof, entry: { ...entry, actorName: 'Grace Hopper' } })).toEqual(['content']);
  expect(await failing({ ...proof, entry: { ...entry, leaf: { ...LEAF, at: '2026-11-18T10:37:00.124Z' } } })).toEqual([
    'org_log',
  ]);
  expect(await failing({ ...proof, entry: { ...entry, index: 8 } })).toEqual(['org_log']);
  expect(await failing({ ...proof, org: { ...org, size: 21 } })).toEqual(['region_log']);
  expect(await failing({ ...proof, region: { ...region, index: 32 } })).toEqual(['region_log']);
  expect(await failing({ ...proof, org: { ...org, origin: 'elsewhere' } })).toEqual(['region_log']);
  const [, ...others] = region.signed.note.signatures;
  const unsigned = { ...region.signed, note: { ...region.signed.note, signatures: others } };
  expect(await outcomesOf({ ...proof, region: { ...region, signed: unsigned } })).toMatchObject({
    signature: 'failed',
    witnesses: 'not_checked',
  });
  const [log, one] = region.signed.note.signatures;
  const once = {
    ...region.signed,
    note: { ...region.signed.note, signatures: [log, one].filter((it) => it !== undefined) },
  };
  expect(await outcomesOf({ ...proof, region: { ...region, signed: once } })).toEqual({
    ...ALL_OK,
    witnesses: 'failed',
  });
});

it('an erased entry is proven without its content', async () => {
  const erased = { ...proof, entry: { ...proof.entry, actorName: null, nonce: null, payload: null } };
  expect(await outcomesOf(parseLedgerProof(formatLedgerProof(erased)))).toEqual({ ...ALL_OK, content: 'not_checked' });
  expect(() => parseEntry(formatEntry({ ...proof.entry, payload: null }))).toThrow('has some but not all of');
});

it('a time stamp over another tree is not one over this', async () => {
  const given = (await givenProof({ stamped: 40 })).proof;
  const stamp = given.timeStamp;
  if (!stamp) throw new Error('there is no time stamp');
  const says = async (changed: LedgerProof) => (await verifyLedgerProof(changed, policy)).steps.at(-1);
  expect(await says(given)).toMatchObject({ outcome: 'not_checked' });
  const other = await givenProof({ stamped: 40, regionIndex: 3 });
  expect(await says({ ...given, timeStamp: other.proof.timeStamp })).toMatchObject({ outcome: 'failed' });
  const early = (await givenProof({ stamped: 33 })).proof.timeStamp;
  expect(await says({ ...given, timeStamp: early })).toEqual({
    ...{ name: 'time_stamp', outcome: 'failed' },
    says: 'The time stamp is over a checkpoint without this leaf',
  });
  const verifyTimeStamp = () => Promise.reject(new Error('the imprint differs'));
  const rejected = await verifyLedgerProof(given, policy, { verifyTimeStamp });
  expect(rejected).toMatchObject({ ok: false, timeStamp: undefined });
  expect(rejected.steps.at(-1)?.says).toBe('The time stamp is not valid: the imprint differs');
});

it('no text makes the parsers throw anything but a FormatError', async () => {
  const { entry, ...head } = (await givenProof({ stamped: 40 })).proof;
  await fuzz(parseLedgerProof, [file, formatLedgerProof({ ...head, entry })]);
  await fuzz(parseHeadProof, [formatHeadProof(head)]);
  await fuzz(parseEntry, [formatEntry(entry), '{"entry":{"leaf":null}}', 'null', '{"__proto__":1}']);
});
