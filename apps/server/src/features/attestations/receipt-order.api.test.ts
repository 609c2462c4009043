import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { artifact, attest, attestationIdOf, givenArtifact, givenFlow, trailOf } from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';
import { digestOf } from '../../platform/journal/entry.ts';
import { sealWithoutReceipt } from '../../platform/journal/open-payload.ts';
import { sequenceAll } from '../../platform/journal/pass.ts';
import { attestationRecorded } from './attestation.entries.ts';
import { insertAttestation, type NewAttestation } from './attestation.store.ts';

const api = await startApi();
await givenFlow(api, 'web', 'version: 1\ntrail:\n  attestations:\n    - { name: tests, type: generic }\n');

interface Received {
  readonly index: number;
  readonly subject_id: string;
  readonly payload: string;
  readonly nonce: Buffer;
  readonly payload_digest: Buffer;
  readonly receipt: number;
}

/** The evidence of the ledger in its order, each with the receipt of its row. */
async function listReceived(): Promise<readonly Received[]> {
  await sequenceAll(api.db);
  const { rows } = await sql<Received>`
    select ledger.index, journal.subject_id, journal.payload, journal.nonce, journal.payload_digest,
      coalesce(attestation.receipt, artifact.receipt) as receipt
    from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
    left join attestation on attestation.org_id = journal.org_id and attestation.id = journal.subject_id
    left join artifact on artifact.org_id = journal.org_id and artifact.id = journal.subject_id
    where ledger.org_id = ${api.org.id} and journal.subject_kind in ('attestation', 'artifact')
    order by ledger.index`.execute(api.db);
  return rows;
}

const receiptIn = ({ payload }: Received) => (JSON.parse(payload) as { receipt: number }).receipt;

it('binds the receipt of evidence to its entry', async () => {
  const awkward = 'a "receipt":0 in a name, and "ünïcode"';
  await givenArtifact(api, 'web', 'a', { trail_name: 'build-1', filename: awkward });
  const sent = { attestation_name: 'tests', description: awkward, artifact_fingerprint: artifact('a').fingerprint };
  await attest(api, 'web', 'build-1', { ...sent, is_compliant: false });
  await attest(api, 'web', 'build-1', { attestation_name: 'tests', is_compliant: true, user_data: { receipt: 0 } });
  const received = await listReceived();
  expect(received).toHaveLength(3);
  for (const entry of received) {
    expect(receiptIn(entry)).toBe(entry.receipt);
    expect(entry.payload_digest).toEqual(digestOf(entry.payload, entry.nonce));
  }
});

it('shows by the receipts of the ledger which evidence is newest, in whatever order commits came', async () => {
  const first = attestationIdOf(await attest(api, 'web', 'build-2', { attestation_name: 'tests', is_compliant: true }));
  const { rows } = await sql<NewAttestation>`
    select attestation.*, trail.receipt as trail_receipt from attestation
    join trail on trail.org_id = attestation.org_id and trail.id = attestation.trail_id
    where attestation.org_id = ${api.org.id} and attestation.id = ${first}`.execute(api.db);
  const [row] = rows;
  if (!row) throw new Error('the report is not there');
  const { payload, nonce, innerKey, outerKey } = sealWithoutReceipt(attestationRecorded, {
    ...{ flow: 'web', trail: 'build-2', name: 'tests', type: 'generic', is_compliant: true, trust: 'api_key' },
    ...{ content_sha256: '', verdict_sha256: '' },
  });
  const slow = randomUUID();
  const entry = { entry_id: randomUUID(), entry_type: attestationRecorded.type, entry_version: 3, payload };
  const keys = {
    inner_key: innerKey.toString('hex'),
    outer_key: outerKey.toString('hex'),
    nonce: nonce.toString('hex'),
  };
  const by = { actor_kind: 'system', actor_id: null, actor_name: 'x' };
  const noClaim = { evidence_id: null, request_digest: null, answer: null };

  let fast = '';
  await api.db.transaction().execute(async (db) => {
    await insertAttestation(db, { ...row, ...entry, ...keys, ...by, ...noClaim, id: slow });
    fast = attestationIdOf(await attest(api, 'web', 'build-2', { attestation_name: 'tests', is_compliant: false }));
    await sequenceAll(api.db);
  });

  const ids = [first, slow, fast];
  const received = (await listReceived()).filter(({ subject_id }) => ids.includes(subject_id));
  expect(received.map(({ subject_id }) => subject_id)).toEqual([first, fast, slow]);
  const byReceipt = received.toSorted((a, b) => receiptIn(a) - receiptIn(b));
  expect(byReceipt.map(({ subject_id }) => subject_id)).toEqual([first, slow, fast]);
  expect((await trailOf(api, 'web', 'build-2')).compliance_state).toBe('NON-COMPLIANT');
});
