import { putFlow } from '@waymark/contract';
import { actorDigest as actorDigestOf, entryLeafHash, payloadDigest } from '@waymark/transparency';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { startApi } from '../../../test/harness.ts';
import { digestOf } from './entry.ts';
import { actorDigest } from './leaf.ts';
import { sequenceAll } from './pass.ts';

const api = await startApi();

it('PostgreSQL hashes the leaves that the offline verifier expects', async () => {
  await api.call(putFlow, { body: { name: 'web' } });
  await api.call(putFlow, { body: { name: 'web', description: 'changed' } });
  await sequenceAll(api.db);
  const entries = await api.db
    .selectFrom('journal')
    .innerJoin('ledger', (join) =>
      join.onRef('ledger.org_id', '=', 'journal.org_id').onRef('ledger.entry_seq', '=', 'journal.seq'),
    )
    .selectAll('journal')
    .select('leaf_hash')
    .where('journal.org_id', '=', api.org.id)
    .execute();
  expect(new Set(entries.map(({ actor_kind }) => actor_kind)).size).toBeGreaterThan(1);
  for (const { nonce, recorded_at, payload_digest, leaf_hash, ...entry } of entries) {
    const expected = entryLeafHash({
      ...entry,
      at: recorded_at.toISOString(),
      actor_digest: actorDigestOf(entry.actor_name, nonce ?? Buffer.alloc(0)),
      payload_digest: payload_digest.toString('hex'),
    });
    expect(Buffer.from(expected)).toEqual(leaf_hash);
  }
});

it('the offline verifier has the same digests of payloads and actors', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uint8Array({ minLength: 32, maxLength: 32 }), (text, bytes) => {
      const nonce = Buffer.from(bytes);
      expect(digestOf(text, nonce).toString('hex')).toBe(payloadDigest(text, nonce));
      expect(actorDigest(nonce, text).toString('hex')).toBe(actorDigestOf(text, nonce));
    }),
  );
});
