import type { LedgerEntry } from '@waymark/contract';
import { formatLedgerProof, type LedgerProof } from '@waymark/transparency';
import { expect, it } from 'vitest';
import { givenProof, LEAF } from '../../../../../packages/transparency/test/given-proof.ts';
import { verifyEntry } from './verify-entry.ts';

const { proof, policy } = await givenProof();

const LISTED: LedgerEntry = {
  ...{ index: proof.entry.index, entry_id: LEAF.id, type: LEAF.type, actor_name: 'Ada Lovelace' },
  ...{ recorded_at: Date.parse(LEAF.at) / 1000, summary: 'Ada Lovelace created flow wéb', sealed: null },
};
const NAME = { types: 'flow.', field: 'name', label: 'name', value: 'wéb' };

async function verify({
  of = proof,
  listed = LISTED,
  shows = [NAME],
  trust = policy,
}: {
  of?: LedgerProof;
  listed?: LedgerEntry;
  shows?: Parameters<typeof verifyEntry>[2]['shows'];
  trust?: string;
} = {}) {
  const { ok, steps } = await verifyEntry(formatLedgerProof(of), trust, { entry: listed, shows });
  return { ok, failed: steps.filter(({ outcome }) => outcome === 'failed').map(({ title }) => title), steps };
}

it('a proof of what the page shows holds, in steps with a name', async () => {
  const { ok, steps } = await verify();
  expect(ok).toBe(true);
  expect(steps.map(({ title, outcome }) => `${title}: ${outcome}`)).toEqual([
    'Entry: ok',
    'This page: ok',
    'Content: ok',
    'Place in the log of the org: ok',
    'Place in the region log: ok',
    'Signature of the log: ok',
    'Witnesses: ok',
    'Time stamp: not_checked',
  ]);
});

it('a valid proof of another entry does not pass', async () => {
  const { failed } = await verify({ listed: { ...LISTED, entry_id: LEAF.subject_id } });
  expect(failed).toEqual(['Entry']);
});

it('a page that shows something else than was recorded does not pass, and the difference is named', async () => {
  const { ok, failed, steps } = await verify({ shows: [{ ...NAME, value: 'web' }] });
  expect({ ok, failed }).toEqual({ ok: false, failed: ['This page'] });
  expect(steps[1]?.says).toBe('This page shows something else than was recorded: name web, recorded was wéb');
});

it('what other types of entries have is not compared', async () => {
  const { ok, steps } = await verify({ shows: [{ ...NAME, types: 'trail.', value: 'web' }] });
  expect({ ok, outcome: steps[1]?.outcome }).toEqual({ ok: true, outcome: 'not_checked' });
});

it('a changed content is named', async () => {
  const of = { ...proof, entry: { ...proof.entry, payload: '{"name":"web"}' } };
  expect((await verify({ of, shows: [] })).failed).toEqual(['Content']);
});

it('an erased entry is still proven', async () => {
  const of = { ...proof, entry: { ...proof.entry, actorName: null, nonce: null, payload: null } };
  const { ok, steps } = await verify({ of, listed: { ...LISTED, actor_name: null } });
  expect(ok).toBe(true);
  expect(steps.filter(({ outcome }) => outcome === 'not_checked').map(({ title }) => title)).toEqual([
    'This page',
    'Content',
    'Time stamp',
  ]);
});

it('another key of the log does not pass', async () => {
  const { policy: other } = await givenProof();
  const { failed } = await verify({ trust: other.replace(/^log .*$/m, '') });
  expect(failed).toContain('Signature of the log');
});

it('a file that is no proof, and a text that is no policy, are named', async () => {
  const expected = { entry: LISTED, shows: [] };
  expect(await verifyEntry('hello', policy, expected)).toMatchObject({ ok: false, steps: [{ title: 'Proof file' }] });
  expect(await verifyEntry(formatLedgerProof(proof), 'hello', expected)).toMatchObject({
    ok: false,
    steps: [{ title: 'Trust policy' }],
  });
});
