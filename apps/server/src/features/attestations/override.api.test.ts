import { randomUUID } from 'node:crypto';
import { attestGeneric, attestOverride, listRepos } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  attest,
  attestationIdOf,
  attestationOf,
  commit,
  fingerprint,
  givenArtifact,
  givenFlow,
  givenTrail,
  trailOf,
} from '../../../test/given/evidence.ts';
import { holdRows } from '../../../test/given/held-rows.ts';
import { countHeldUp } from '../../../test/given/held-up.ts';
import { startApi } from '../../../test/harness.ts';
import { claimOf } from '../../platform/evidence-receipt.ts';
import { insertAttestations, type NewAttestation } from './attestation.store.ts';

const api = await startApi();
let flow = '';
let count = 0;
beforeEach(async () => {
  flow = `flow-${++count}`;
  await givenFlow(api, flow, 'version: 1\n');
  await givenTrail(api, flow, 't');
});

const OVERRIDE = {
  attestation_name: 'lint',
  reason: 'The linter is broken today',
  new_compliance_status: true,
  original_attestation_type: 'generic',
};

function override(more: object = {}, headers: Record<string, string> = {}, trail = 't') {
  return api.call(attestOverride, {
    params: { flow_name: flow, trail_name: trail },
    body: { ...OVERRIDE, ...more },
    headers,
  });
}

async function fail(more: object = {}): Promise<string> {
  return attestationIdOf(await attest(api, flow, 't', { attestation_name: 'lint', is_compliant: false, ...more }));
}

const overriddenBy = async (id: string) => (await attestationOf(api, id)).overrides;

async function slots() {
  return (await trailOf(api, flow, 't')).compliance_status.attestations_statuses;
}

const refusal = (newer: string) => ({
  status: 409,
  body: {
    message:
      `The override was not recorded: a newer report under 'lint' has arrived, attestation ${newer}. ` +
      'Review it, then override that one.',
  },
});

describe('with attestation_id', () => {
  it('replaces the report with that id', async () => {
    const failing = await fail();
    const answer = await override({ attestation_id: failing });
    expect(answer.status).toBe(201);
    expect(await overriddenBy(attestationIdOf(answer))).toBe(failing);
    expect(await slots()).toMatchObject([{ is_compliant: true, overridden_attestation_id: failing }]);
  });

  it('is refused when a newer report has arrived, and writes nothing', async () => {
    const [reviewed, newer] = [await fail(), await fail()];
    const before = (await api.journal()).length;
    expect(await override({ attestation_id: reviewed }, { 'waymark-evidence-id': randomUUID() })).toMatchObject(
      refusal(newer),
    );
    expect((await api.journal()).length).toBe(before);
    expect(await slots()).toMatchObject([{ attestation_id: newer, is_compliant: false }]);
    expect((await override({ attestation_id: newer })).status).toBe(201);
  });

  it('is not refused for a newer report of another name, type or target', async () => {
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend' });
    const failing = await fail();
    await fail({ attestation_name: 'other' });
    await fail({ artifact_fingerprint: fingerprint('a') });
    expect((await override({ attestation_id: failing })).status).toBe(201);
  });

  it('is refused for a newer report about the same artifact, however that names it', async () => {
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend' });
    const byName = { target_artifacts: ['backend'], git_commit_info: { sha1: commit('a') } };
    const byFingerprint = { artifact_fingerprint: fingerprint('a') };
    const first = await fail(byFingerprint);
    const second = await fail(byName);
    expect(await override({ ...byFingerprint, attestation_id: first })).toMatchObject(refusal(second));
    const third = await fail(byFingerprint);
    expect(await override({ ...byName, attestation_id: second })).toMatchObject(refusal(third));
    expect((await override({ ...byName, attestation_id: third })).status).toBe(201);
    expect((await trailOf(api, flow, 't')).compliance_status.status).toBe('COMPLIANT');
  });

  it('accepts the id of an override for the report that it replaces', async () => {
    const failing = await fail();
    const first = attestationIdOf(await override());
    const second = await override({ attestation_id: first, new_compliance_status: false });
    expect(second.status).toBe(201);
    expect(await overriddenBy(attestationIdOf(second))).toBe(failing);
    expect(await slots()).toMatchObject([{ attestation_id: attestationIdOf(second), is_compliant: false }]);
  });

  it('is refused for an attestation of another trail, name, type, target or org, and for an invalid id', async () => {
    const failing = await fail();
    await givenTrail(api, flow, 'u');
    const elsewhere = attestationIdOf(await attest(api, flow, 'u', { attestation_name: 'lint', is_compliant: false }));
    const named = attestationIdOf(await attest(api, flow, 't', { attestation_name: 'other', is_compliant: false }));
    const other = await api.givenOrg('others');
    const foreign = await api.call(attestGeneric, {
      params: { org: other.name, flow_name: flow, trail_name: 't' },
      body: { attestation_name: 'lint', is_compliant: false },
      key: other.keys.admin,
    });
    expect(foreign.status).toBe(201);
    const field = async (more: object, trail?: string) =>
      (await override(more, {}, trail)).body as { errors?: Record<string, string> };
    for (const id of [elsewhere, named, attestationIdOf(foreign), randomUUID()]) {
      expect(await field({ attestation_id: id })).toMatchObject({
        errors: {
          attestation_id: `${id} is not an attestation of name 'lint', type generic and this target in trail 't'`,
        },
      });
    }
    expect(await field({ attestation_id: failing, original_attestation_type: 'junit' })).toMatchObject({
      errors: { attestation_id: expect.any(String) },
    });
    expect(await field({ attestation_id: failing }, 'u')).toMatchObject({
      errors: { attestation_id: expect.any(String) },
    });
    expect(await field({ attestation_id: 'lint' })).toMatchObject({
      errors: { attestation_id: 'must be the id of an attestation' },
    });
  });
});

describe('when reports arrive while an override is under way', () => {
  /** Locks a repository row that the override changes, so that it waits between its lookup and its insert. */
  async function whileOverriding(meanwhile: () => Promise<void>, headers: Record<string, string> = {}) {
    const name = `acme/${flow}`;
    await attest(api, flow, 't', { attestation_name: 'seen', is_compliant: true, repo_info: { name } });
    const letGo = await holdRows(
      api.db,
      sql`select from repository where org_id = ${api.org.id} and name = ${name} for update`,
    );
    const answer = override({ repo_info: { name, description: 'changed' } }, headers);
    try {
      await expect.poll(() => countHeldUp(api.db)).toBe(1);
      await meanwhile();
    } finally {
      await letGo();
    }
    return answer;
  }

  it('refuses it, changes nothing and leaves the trail to the newest report', async () => {
    await fail();
    let newer = '';
    let before = 0;
    const answer = await whileOverriding(async () => {
      newer = await fail();
      before = (await api.journal()).length;
    });
    expect(answer).toMatchObject(refusal(newer));
    expect((await api.journal()).length).toBe(before);
    expect((await slots()).find(({ attestation_name }) => attestation_name === 'lint')).toMatchObject({
      attestation_id: newer,
      is_compliant: false,
    });
    const { body } = await api.call(listRepos, { query: { name: `acme/${flow}` } });
    expect(JSON.stringify(body)).not.toContain('changed');
  });

  it('gives a repeat the first reply, recorded before the newer report', async () => {
    const failing = await fail();
    const evidenceId = randomUUID();
    const body = { ...OVERRIDE, repo_info: { name: `acme/${flow}`, description: 'changed' } };
    const claim = claimOf(evidenceId, [attestOverride.id, flow, 't', body, null]);
    if (!claim) throw new Error('there is no claim');
    const answer = await whileOverriding(
      async () => {
        await sql`
          insert into evidence_receipt (org_id, evidence_id, subject_id, request_digest, answer, created_at)
          values (${api.org.id}, ${evidenceId}, ${failing}, ${claim.digest}, 'bound The first answer', now())`.execute(
          api.db,
        );
        await fail();
      },
      { 'waymark-evidence-id': evidenceId },
    );
    expect([answer.status, answer.body, attestationIdOf(answer)]).toEqual([201, 'The first answer', failing]);
  });

  it('gives a repeat of a recorded override the first reply, however many reports have arrived', async () => {
    await fail();
    const headers = { 'waymark-evidence-id': randomUUID() };
    const first = await override({}, headers);
    await fail();
    const repeat = await override({}, headers);
    expect([repeat.status, repeat.body, attestationIdOf(repeat)]).toEqual([201, first.body, attestationIdOf(first)]);
  });

  it('refuses one that was written before the newest report arrived, unless it names that report', async () => {
    const written = { 'waymark-claimed-at': `${api.clock.now.getTime() / 1000 - 301}` };
    const newer = await fail();
    expect(await override({}, written)).toMatchObject(refusal(newer));
    expect((await override({ attestation_id: newer }, written)).status).toBe(201);
  });

  it('never lets an override that was recorded at the same moment cover another report', async () => {
    await fail();
    const answers = await Promise.all([override(), fail(), override(), fail(), override(), fail()]);
    const newest = await sql<{ id: string }>`
      select id from attestation where org_id = ${api.org.id} and name = 'lint' and overrides_id is null
        and flow_id = (select id from flow where org_id = ${api.org.id} and name = ${flow})
      order by receipt desc limit 1`.execute(api.db);
    const named = await Promise.all(
      answers.flatMap((answer) =>
        typeof answer === 'string' || answer.status !== 201 ? [] : [overriddenBy(attestationIdOf(answer))],
      ),
    );
    const covered = named.includes(newest.rows[0]?.id ?? '');
    expect((await trailOf(api, flow, 't')).compliance_status.status).toBe(covered ? 'COMPLIANT' : 'NON-COMPLIANT');
  });

  it('refuses it in a statement that also records the newer report', async () => {
    const failing = await fail();
    const { rows } = await sql<NewAttestation & { receipt: number }>`
      select attestation.*, trail.receipt as trail_receipt from attestation
      join trail on trail.org_id = attestation.org_id and trail.id = attestation.trail_id
      where attestation.org_id = ${api.org.id} and attestation.id = ${failing}`.execute(api.db);
    const [row] = rows;
    if (!row) throw new Error('the report is not there');
    const entry = () => ({
      ...{ entry_id: randomUUID(), entry_type: 'attestation.recorded', entry_version: 3 },
      ...{ actor_kind: 'system', actor_id: null },
      ...{ actor_name: 'x', payload: '{}', nonce: '00'.repeat(32), inner_key: '', outer_key: '' },
      ...{ evidence_id: null, request_digest: null, answer: null },
    });
    const report = { ...row, ...entry(), id: randomUUID() };
    const overriding = { ...row, ...entry(), id: randomUUID(), type: 'override', overrides_id: failing };
    expect(await insertAttestations(api.db, [report, overriding])).toEqual([
      { kind: 'recorded' },
      { kind: 'refused', newerId: report.id },
    ]);
    const later = [
      { ...overriding, ...entry(), id: randomUUID(), overrides_id: report.id },
      { ...report, ...entry(), id: randomUUID() },
    ];
    expect(await insertAttestations(api.db, later)).toEqual([{ kind: 'recorded' }, { kind: 'recorded' }]);
  });
});
