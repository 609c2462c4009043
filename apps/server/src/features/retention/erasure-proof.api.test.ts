import { eraseAttestation, getLedgerProof } from '@waymark/contract';
import { parseLedgerProof, parsePolicy, verifyLedgerProof } from '@waymark/transparency';
import { expect, it } from 'vitest';
import { attest, attestationIdOf, attestationOf } from '../../../test/given/evidence.ts';
import { givenServedLedger, provenBy } from '../../../test/given/proofs.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
const ledger = await givenServedLedger(api);
const fetched = async (query: Record<string, string>) =>
  (await api.call(getLedgerProof, { key: api.org.keys.reader, query })).body as unknown as string;
const verify = (proof: string) => verifyLedgerProof(parseLedgerProof(proof), parsePolicy(ledger.policy()));

it('an erased attestation stays proven, and so does what was erased to whoever has it', async () => {
  const body = { attestation_name: 'notes', is_compliant: false, description: 'Grace Hopper' };
  const id = attestationIdOf(await attest(api, 'shop', 'build-7', body));
  await ledger.seal();
  const before = await fetched({ attestation: id });
  const recorded = parseLedgerProof(before).entry;

  const erased = await api.call(eraseAttestation, { params: { attestation_id: id }, body: { reason: 'Request 114' } });
  expect(erased.status).toBe(200);
  await ledger.seal();

  const { entry } = await provenBy(api, ledger.policy(), { attestation: id });
  expect(entry.leaf).toMatchObject({ type: 'attestation.erased', subject_id: id });
  expect(JSON.parse(entry.payload ?? '')).toMatchObject({
    name: 'notes',
    is_compliant: false,
    reason: 'Request 114',
    entry_ids: [recorded.leaf.id],
  });

  const after = await fetched({ entry: recorded.leaf.id });
  expect(parseLedgerProof(after).entry).toMatchObject({ leaf: recorded.leaf, payload: null, nonce: null });
  for (const proof of [before, after]) expect((await verify(proof)).ok).toBe(true);
  expect(parseLedgerProof(before).entry.payload).toContain('notes');
  expect((await attestationOf(api, id)).erased).toMatchObject({ reason: 'Request 114' });
});
