import { expect, it } from 'vitest';
import type { Source } from './source.ts';
import type { SourceTrail } from './source-contracts.ts';
import { trailEntries } from './trail-entries.ts';

const attested = (id: string, timestamp: number) => ({
  type: 'trail_attestation_reported',
  attestation_id: id,
  timestamp,
});
const slot = (attestation_name: string, attestation_id: string | null, overridden: string | null = null) => ({
  attestation_name,
  attestation_id,
  overridden_attestation_id: overridden,
});

/** Answers only what these tests ask for. */
const sourceWith = (byName: Readonly<Record<string, readonly string[]>>): Source =>
  ({
    async *attestationsNamed(_flow: string, _trail: string, name: string) {
      for (const [at, id] of (byName[name] ?? []).entries()) yield { attestation_id: id, created_at: at };
    },
  }) as unknown as Source;

it('takes what happened from the events, oldest first, and each thing once', async () => {
  const trail: SourceTrail = {
    name: 't',
    user_data: null,
    events: [
      { type: 'trail_reported', timestamp: 1 },
      attested('two', 4),
      { type: 'artifact_creation_reported', artifact_fingerprint: 'a', timestamp: 3 },
      attested('one', 2),
      { type: 'artifact_started_running', artifact_fingerprint: 'a', timestamp: 5 },
    ],
    compliance_status: {
      attestations_statuses: [slot('x', 'one'), slot('missing', null)],
      artifacts_statuses: { app: { artifact_fingerprint: 'a', attestations_statuses: [slot('y', 'two')] } },
    },
  };
  expect(await trailEntries(sourceWith({}), 'f', trail)).toEqual([
    { kind: 'attestation', id: 'one' },
    { kind: 'artifact', fingerprint: 'a' },
    { kind: 'attestation', id: 'two' },
  ]);
});

it('takes it from the verdict where a source has no events: artifacts first, an override after what it is about', async () => {
  const trail: SourceTrail = {
    name: 't',
    user_data: null,
    compliance_status: {
      attestations_statuses: [slot('x', 'override', 'one')],
      artifacts_statuses: { app: { artifact_fingerprint: 'a' } },
    },
  };
  expect(await trailEntries(sourceWith({}), 'f', trail)).toEqual([
    { kind: 'artifact', fingerprint: 'a' },
    { kind: 'attestation', id: 'one' },
    { kind: 'attestation', id: 'override' },
  ]);
});

it('looks up by name what the events leave out, as a source lists only the newest', async () => {
  const events = Array.from({ length: 1_000 }, (_, at) => attested(`new-${at}`, 100 + at));
  const trail: SourceTrail = {
    name: 't',
    user_data: null,
    events,
    compliance_status: { attestations_statuses: [slot('x', 'new-999')] },
  };
  const entries = await trailEntries(sourceWith({ x: ['old-1', 'old-2', 'new-0'] }), 'f', trail);
  expect(entries.slice(0, 4)).toEqual(['old-1', 'old-2', 'new-0', 'new-1'].map((id) => ({ kind: 'attestation', id })));
  expect(entries).toHaveLength(1_002);
});
