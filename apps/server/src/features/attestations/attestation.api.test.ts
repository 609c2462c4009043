import { randomUUID } from 'node:crypto';
import {
  type Attestation,
  attestDecision,
  attestGeneric,
  attestJira,
  attestJunit,
  attestOverride,
  attestPullRequest,
  attestSnyk,
  attestSonar,
  attestSystem,
  type Contract,
  getFlow,
  listArtifactAttestations,
  listAttestations,
  listAttestationsForCriteria,
  listFlowAttestations,
  listTrailAttestations,
} from '@waymark/contract';
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
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
let flow = '';
let count = 0;
beforeEach(async () => {
  flow = `flow-${++count}`;
  await givenFlow(api, flow);
  await givenTrail(api, flow, 't');
});

const send = (contract: Contract, body: object, headers: Record<string, string> = {}, key?: string) =>
  api.call(contract, { params: { flow_name: flow, trail_name: 't' }, body, headers, ...(key && { key }) });

const stateOf = (answer: { headers: Readonly<Record<string, unknown>> }) =>
  String(answer.headers['waymark-attestation']).split('; ')[1];

const read = (id: string) => attestationOf(api, id);

async function countRows(): Promise<number> {
  const { body } = await api.call(listFlowAttestations, { params: { flow_name: flow }, query: { per_page: '100' } });
  return (body as object[]).length;
}

describe('the verdict of each kind', () => {
  const pr = { url: 'https://git.example.com/pr/1', state: 'MERGED', merge_commit: commit('a'), approvers: ['ada'] };
  const suite = { name: 's', failures: 0, errors: 0, skipped: 0, total: 3, duration: 0.5 };
  const scan = (high: number, low: number) => ({
    results: [{ high_count: high, medium_count: 0, low_count: low }],
    tool: { name: 'Snyk', version: '1' },
  });

  it.each<[string, Contract, object, boolean, string[]]>([
    ['generic', attestGeneric, { is_compliant: true }, true, []],
    ['generic', attestGeneric, { is_compliant: false }, false, ['The reporter marked it as not compliant.']],
    ['junit', attestJunit, { junit_results: [suite] }, true, []],
    [
      'junit',
      attestJunit,
      { junit_results: [suite, { ...suite, failures: 2, errors: 1 }] },
      false,
      ['2 failures and 1 error in 6 tests.'],
    ],
    ['junit', attestJunit, { junit_results: [] }, false, ['No test ran: the report contains no tests.']],
    [
      'junit',
      attestJunit,
      { junit_results: [{ ...suite, total: 0 }] },
      false,
      ['No test ran: the report contains no tests.'],
    ],
    ['junit', attestJunit, { junit_results: [{ ...suite, skipped: 3 }] }, false, ['No test ran: 3 tests skipped.']],
    ['junit', attestJunit, { junit_results: [{ ...suite, skipped: 2 }] }, true, []],
    ['snyk', attestSnyk, { snyk_results: scan(0, 0) }, true, []],
    ['snyk', attestSnyk, { snyk_results: scan(0, 2) }, true, []],
    [
      'snyk',
      attestSnyk,
      { snyk_results: scan(0, 2), fails_at: 'note' },
      false,
      ['2 notes; fails at note, set by the reporter.'],
    ],
    ['snyk', attestSnyk, { snyk_results: scan(1, 2) }, false, ['1 error, 2 notes; fails at error, by default.']],
    [
      'snyk',
      attestSnyk,
      {
        snyk_results: {
          results: [
            { high_count: 0, medium_count: 0, low_count: 0, critical_count: 2, low: [{ id: 'a', message: 'm' }] },
          ],
        },
      },
      false,
      ['2 errors, 1 note; fails at error, by default.'],
    ],
    ['sonar', attestSonar, { sonar_results: { qualityGate: { status: 'OK' } } }, true, []],
    [
      'sonar',
      attestSonar,
      { sonar_results: { qualityGate: { status: 'ERROR' } } },
      false,
      ['The quality gate has the status ERROR, not OK.'],
    ],
    ['sonar', attestSonar, { sonar_results: {} }, false, ['The results contain no quality gate.']],
    ['jira', attestJira, { jira_results: [{ issue_id: 'A-1', issue_exists: true }] }, true, []],
    [
      'jira',
      attestJira,
      {
        jira_results: [
          { issue_id: 'A-1', issue_exists: true },
          { issue_id: 'A-2', issue_exists: false },
        ],
      },
      false,
      ['These issues do not exist: A-2.'],
    ],
    ['jira', attestJira, { jira_results: [] }, false, ['No issue is referenced.']],
    ['pull_request', attestPullRequest, { git_provider: 'github', pull_requests: [pr] }, true, []],
    [
      'pull_request',
      attestPullRequest,
      { git_provider: 'github', pull_requests: [] },
      false,
      ['No pull request exists for the commit.'],
    ],
    ['decision', attestDecision, { control: 'SDLC-7', attestation_data: { is_compliant: true } }, true, []],
    [
      'decision',
      attestSystem,
      { type_name: 'decision', control: 'SDLC-7', attestation_data: { is_compliant: false } },
      false,
      ['Control SDLC-7 was decided as not satisfied.'],
    ],
  ])('%s: %#', async (type, contract, body, isCompliant, reasons) => {
    const answer = await send(contract, { attestation_name: 'x', ...body });
    expect(answer).toMatchObject({ status: 201 });
    expect(stateOf(answer)).toBe('bound');
    expect(await read(attestationIdOf(answer))).toMatchObject({
      attestation_type: type,
      is_compliant: isCompliant,
      reasons,
      trust: 'api_key',
      judged_by: { verdict: 'verdict/4' },
      flow_name: flow,
      trail_name: 't',
      reported_by: 'acme-admin',
    });
  });

  it('returns what was sent, and its digest is in the journal', async () => {
    const body = {
      attestation_name: 'full',
      is_compliant: true,
      description: 'd',
      user_data: { n: 1.5, nul: '\u0000' },
      annotations: { a: 'b' },
      external_urls: { log: { href: 'https://x.example.com', fingerprint: fingerprint('a') } },
      origin_url: 'https://ci.example.com',
      git_commit_info: { sha1: commit('a'), branch: 'main' },
    };
    const answer = await send(attestGeneric, body, { 'waymark-claimed-at': '1' });
    const { attestation_name: _, is_compliant: __, ...given } = body;
    const shown = await read(attestationIdOf(answer));
    expect(shown).toMatchObject({ ...given, claimed_at: 1, late: true, attestation_data: { is_compliant: true } });
    expect((await api.journal()).at(-1)).toMatchObject({
      type: 'attestation.recorded',
      subject_seq: 1,
      payload: { flow, trail: 't', name: 'full', type: 'generic', content_sha256: shown.content_sha256, claimed_at: 1 },
    });
  });
});

describe('binding', () => {
  const about = (target: string, digit: string) => ({
    target_artifacts: [target],
    git_commit_info: { sha1: commit(digit) },
  });

  it('by fingerprint requires the artifact in that trail', async () => {
    const body = { attestation_name: 'unit-tests', is_compliant: true, artifact_fingerprint: fingerprint('a') };
    expect(await attest(api, flow, 't', body)).toMatchObject({
      status: 400,
      body: { errors: { artifact_fingerprint: `artifact ${fingerprint('a')} was not reported in trail 't'` } },
    });
    await givenArtifact(api, flow, 'a', { trail_name: 'other' });
    expect(await attest(api, flow, 't', body)).toMatchObject({ status: 400 });
    await givenArtifact(api, flow, 'a', { trail_name: 't' });
    const answer = await attest(api, flow, 't', body);
    expect([answer.status, stateOf(answer)]).toEqual([201, 'bound']);
  });

  it('by name and commit waits for the artifact, and binds when it arrives', async () => {
    const early = await attest(api, flow, 't', {
      attestation_name: 'extra',
      is_compliant: false,
      ...about('backend', 'a'),
    });
    expect(stateOf(early)).toBe('pending');
    expect(early.body).toContain(`waiting for artifact 'backend' of commit ${commit('a')}`);
    const before = await trailOf(api, flow, 't');
    expect(before.pending).toMatchObject([
      { attestation_id: attestationIdOf(early), state: 'pending', target_artifact: 'backend' },
    ]);
    expect(before.compliance_state).toBe('NON-COMPLIANT');
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend' });
    const after = await trailOf(api, flow, 't');
    expect(after.pending).toEqual([]);
    expect(after.compliance_status.artifacts_statuses['backend']).toMatchObject({ status: 'NON-COMPLIANT' });
    const late = await attest(api, flow, 't', {
      attestation_name: 'extra',
      is_compliant: true,
      ...about('backend', 'a'),
    });
    expect(stateOf(late)).toBe('bound');
    expect((await trailOf(api, flow, 't')).compliance_status.artifacts_statuses['backend']).toMatchObject({
      status: 'INCOMPLETE',
    });
  });

  it('names the nearest candidates when nothing matches', async () => {
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend' });
    const misspelt = await attest(api, flow, 't', {
      attestation_name: 'x',
      is_compliant: true,
      ...about('back-end', 'a'),
    });
    expect(stateOf(misspelt)).toBe('unbound');
    const wrongCommit = await attest(api, flow, 't', {
      attestation_name: 'y',
      is_compliant: true,
      ...about('backend', 'b'),
    });
    expect(stateOf(wrongCommit)).toBe('pending');
    const { pending } = await trailOf(api, flow, 't');
    expect(pending.find(({ attestation_name }) => attestation_name === 'x')?.hints.join()).toContain('backend');
    expect(pending.find(({ attestation_name }) => attestation_name === 'y')?.hints.join()).toContain(
      'built from commit',
    );
  });

  it('by name alone is refused', async () => {
    expect(
      await attest(api, flow, 't', { attestation_name: 'x', is_compliant: true, target_artifacts: ['backend'] }),
    ).toMatchObject({
      status: 400,
      body: {
        errors: { target_artifacts: expect.stringContaining('requires git_commit_info or artifact_fingerprint') },
      },
    });
    expect(
      await attest(api, flow, 't', {
        attestation_name: 'x',
        is_compliant: true,
        target_artifacts: ['a', 'b'],
        git_commit_info: { sha1: commit('a') },
      }),
    ).toMatchObject({ status: 400 });
  });
});

describe('what does not exist yet', () => {
  it('a trail is begun, and a flow is created and marked', async () => {
    await attest(api, flow, 'new', { attestation_name: 'x', is_compliant: true });
    expect(await trailOf(api, flow, 'new')).toMatchObject({ auto_created: false, compliance_state: 'INCOMPLETE' });
    await attest(api, `${flow}-auto`, 'new', { attestation_name: 'x', is_compliant: false });
    const trail = await trailOf(api, `${flow}-auto`, 'new');
    expect(trail).toMatchObject({ auto_created: true, compliance_state: 'NON-COMPLIANT' });
  });

  it('is not created by a refused request', async () => {
    const refused = await attest(api, `${flow}-none`, 'new', {
      attestation_name: 'x',
      is_compliant: true,
      artifact_fingerprint: fingerprint('a'),
    });
    expect(refused.status).toBe(400);
    expect(await api.call(getFlow, { params: { flow_name: `${flow}-none` } })).toMatchObject({ status: 404 });
  });

  it('is created once by 32 racing reports, and all of them are recorded', async () => {
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        attest(api, `${flow}-race`, 'new', { attestation_name: `x${i}`, is_compliant: true }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(32).fill(201));
    const trail = await trailOf(api, `${flow}-race`, 'new');
    expect(trail.compliance_status.attestations_statuses).toHaveLength(32);
    const begun = (await api.journal()).filter(
      ({ type, payload }) => type === 'trail.begun' && (payload as { flow: string }).flow === `${flow}-race`,
    );
    expect(begun).toHaveLength(1);
  });
});

describe('repeats', () => {
  it('are one record under one evidence id, and one each without it', async () => {
    const body = { attestation_name: 'x', is_compliant: true };
    const headers = { 'waymark-evidence-id': randomUUID() };
    const same = await Promise.all(Array.from({ length: 32 }, () => attest(api, flow, 't', body, headers)));
    expect(
      new Set(same.map((answer) => `${answer.status} ${answer.body} ${String(answer.headers['waymark-attestation'])}`))
        .size,
    ).toBe(1);
    expect(same[0]?.status).toBe(201);
    expect(await countRows()).toBe(1);
    const each = await Promise.all(Array.from({ length: 32 }, () => attest(api, flow, 't', body)));
    expect(each.map(({ status }) => status)).toEqual(Array(32).fill(201));
    expect(new Set(each.map(attestationIdOf)).size).toBe(32);
    expect(await countRows()).toBe(33);
    const later = await attest(api, flow, 't', body, headers);
    expect(attestationIdOf(later)).toBe(attestationIdOf(same[0] as never));
  });

  it('are one record under one evidence id, also into a trail that does not exist yet', async () => {
    const headers = { 'waymark-evidence-id': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 16 }, () =>
        attest(api, flow, 'fresh', { attestation_name: 'x', is_compliant: true }, headers),
      ),
    );
    expect(new Set(answers.map(attestationIdOf)).size).toBe(1);
    expect(answers.every(({ status }) => status === 201)).toBe(true);
  });

  it('with other content under the same evidence id are refused, not swallowed', async () => {
    const headers = { 'waymark-evidence-id': randomUUID() };
    await attest(api, flow, 't', { attestation_name: 'x', is_compliant: true }, headers);
    expect(await attest(api, flow, 't', { attestation_name: 'x', is_compliant: false }, headers)).toMatchObject({
      status: 400,
      body: { errors: { 'header.waymark-evidence-id': 'was already used for another report' } },
    });
    expect(await countRows()).toBe(1);
  });

  it('with one Idempotency-Key are one record', async () => {
    const headers = { 'idempotency-key': `k-${flow}` };
    const first = await attest(api, flow, 't', { attestation_name: 'x', is_compliant: true }, headers);
    const again = await attest(api, flow, 't', { attestation_name: 'x', is_compliant: true }, headers);
    expect([again.status, again.body, attestationIdOf(again)]).toEqual([201, first.body, attestationIdOf(first)]);
    expect(await countRows()).toBe(1);
  });
});

it('64 at once, 7 invalid and 3 repeats among them: each gets its own reply', async () => {
  const repeated = { attestation_name: 'repeated', is_compliant: true };
  const headers = { 'waymark-evidence-id': randomUUID() };
  const first = await attest(api, flow, 't', repeated, headers);
  const requests = Array.from({ length: 64 }, (_, i) => {
    const good = { attestation_name: `a${i}`, is_compliant: true };
    if (i % 9 === 4)
      return { i, kind: 'invalid', sent: { ...good, artifact_fingerprint: fingerprint('f') }, headers: {} };
    if (i === 10 || i === 30 || i === 50) return { i, kind: 'repeat', sent: repeated, headers };
    return { i, kind: 'good', sent: good, headers: {} };
  });
  expect(requests.filter(({ kind }) => kind === 'invalid')).toHaveLength(7);
  const answers = await Promise.all(requests.map(({ sent, headers }) => attest(api, flow, 't', sent, headers)));
  for (const [i, answer] of answers.entries()) {
    const kind = requests[i]?.kind;
    if (kind === 'invalid')
      expect(answer).toMatchObject({ status: 400, body: { errors: { artifact_fingerprint: expect.any(String) } } });
    const tellsOf = [answer.status, attestationIdOf(answer), answer.body];
    if (kind === 'repeat') expect(tellsOf).toEqual([201, attestationIdOf(first), first.body]);
    if (kind === 'good')
      expect([answer.status, answer.body]).toEqual([201, `Attestation 'a${i}' recorded in trail 't': compliant`]);
  }
  expect(await countRows()).toBe(1 + 54);
});

describe('an override', () => {
  it('replaces the verdict with a reason; both stay visible; a newer report counts again', async () => {
    const failing = await attest(api, flow, 't', { attestation_name: 'lint', is_compliant: false });
    const answer = await send(attestOverride, {
      attestation_name: 'lint',
      reason: 'The linter is broken today',
      new_compliance_status: true,
      original_attestation_type: 'generic',
    });
    expect(answer.status).toBe(201);
    const slot = async () =>
      (await trailOf(api, flow, 't')).compliance_status.attestations_statuses.find(
        ({ attestation_name }) => attestation_name === 'lint',
      );
    expect(await slot()).toEqual({
      attestation_name: 'lint',
      attestation_type: 'generic',
      attestation_id: attestationIdOf(answer),
      overridden_attestation_id: attestationIdOf(failing),
      status: 'COMPLETE',
      is_compliant: true,
      unexpected: true,
    });
    expect(await read(attestationIdOf(answer))).toMatchObject({
      attestation_type: 'override',
      overrides: attestationIdOf(failing),
      override_reason: 'The linter is broken today',
    });
    expect(await read(attestationIdOf(failing))).toMatchObject({ is_compliant: false });
    expect((await api.journal()).at(-1)).toMatchObject({
      type: 'attestation.overridden',
      payload: { overrides: attestationIdOf(failing), reason: 'The linter is broken today' },
    });
    const newer = await attest(api, flow, 't', { attestation_name: 'lint', is_compliant: false });
    expect(await slot()).toMatchObject({
      attestation_id: attestationIdOf(newer),
      overridden_attestation_id: null,
      is_compliant: false,
    });
  });

  it('of an artifact replaces the newest report, however that named the artifact', async () => {
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'backend' });
    const byName = { target_artifacts: ['backend'], git_commit_info: { sha1: commit('a') } };
    const byFingerprint = { artifact_fingerprint: fingerprint('a') };
    await attest(api, flow, 't', { attestation_name: 'x', is_compliant: true, ...byFingerprint });
    const failing = await attest(api, flow, 't', { attestation_name: 'x', is_compliant: false, ...byName });
    const body = {
      attestation_name: 'x',
      reason: 'r',
      new_compliance_status: true,
      original_attestation_type: 'generic',
    };
    const overriding = await send(attestOverride, { ...body, ...byFingerprint });
    expect((await read(attestationIdOf(overriding))).overrides).toBe(attestationIdOf(failing));
    const again = await attest(api, flow, 't', { attestation_name: 'x', is_compliant: false, ...byFingerprint });
    expect((await read(attestationIdOf(await send(attestOverride, { ...body, ...byName })))).overrides).toBe(
      attestationIdOf(again),
    );
  });

  it('of nothing is refused, and so is one without a reason', async () => {
    const body = {
      attestation_name: 'x',
      reason: 'r',
      new_compliance_status: true,
      original_attestation_type: 'generic',
    };
    expect(await send(attestOverride, body)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('nothing to override') },
    });
    await attest(api, flow, 't', { attestation_name: 'x', is_compliant: false });
    expect(await send(attestOverride, { ...body, original_attestation_type: 'junit' })).toMatchObject({ status: 400 });
    expect(await send(attestOverride, { ...body, reason: ' ' })).toMatchObject({
      status: 400,
      body: { errors: { reason: 'must say why' } },
    });
    expect(await send(attestOverride, body)).toMatchObject({ status: 201 });
  });
});

describe('lists', () => {
  beforeEach(async () => {
    await attest(api, flow, 't', {
      attestation_name: 'lint',
      is_compliant: false,
      git_commit_info: { sha1: commit('d') },
    });
    await attest(api, flow, 't', { attestation_name: 'unit', is_compliant: true });
    await send(attestDecision, {
      attestation_name: 'ok-to-ship',
      control: 'C-1',
      attestation_data: { is_compliant: true },
    });
  });

  const names = async (query: Record<string, string | string[]>) => {
    const { body } = await api.call(listAttestations, { query: { flow, ...query } });
    return (body as { data: Attestation[] }).data.map(({ attestation_name }) => attestation_name);
  };

  it('of the org have filters and a cursor', async () => {
    expect(await names({})).toEqual(['ok-to-ship', 'unit', 'lint']);
    expect(await names({ type: 'decision' })).toEqual(['ok-to-ship']);
    expect(await names({ type: ['decision', 'generic'] })).toEqual(['ok-to-ship', 'unit', 'lint']);
    expect(await names({ type: 'custom' })).toEqual([]);
    expect(await names({ name: 'unit' })).toEqual(['unit']);
    expect(await names({ name_regex: '^(unit|lint)$' })).toEqual(['unit', 'lint']);
    expect(await names({ name_regex: 'zzz' })).toEqual([]);
    expect(await names({ is_compliant: 'false' })).toEqual(['lint']);
    expect(await names({ from_timestamp: '4000000000' })).toEqual([]);
    expect(await names({ to_timestamp: '1' })).toEqual([]);
    const first = (await api.call(listAttestations, { query: { flow, per_page: '2' } })).body as {
      pagination: { next: string };
    };
    expect(await names({ per_page: '2', after: first.pagination.next })).toEqual(['lint']);
    expect((await api.call(listAttestations, { query: { attestation_id: 'no-such-id' } })).body).toMatchObject({
      data: [],
    });
  });

  it('of the org refuse invalid filters', async () => {
    for (const query of [
      { type: 'nonsense' },
      { name_regex: '(' },
      { name: 'a', name_regex: 'a' },
      { after: '!' },
      { per_page: '101' },
    ])
      expect((await api.call(listAttestations, { query })).status).toBe(400);
    expect((await api.call(listAttestations, { query: { flow: 'nowhere' } })).status).toBe(404);
  });

  it('by flow, trail, artifact and commits', async () => {
    await givenArtifact(api, flow, 'e', { trail_name: 't', template_reference_name: 'backend' });
    await attest(api, flow, 't', {
      attestation_name: 'lint',
      is_compliant: true,
      artifact_fingerprint: fingerprint('e'),
    });
    await attest(api, flow, 't', {
      attestation_name: 'lint',
      is_compliant: true,
      target_artifacts: ['backend'],
      git_commit_info: { sha1: commit('e') },
    });
    const of = async (
      contract: Contract,
      params: Record<string, string>,
      query: Record<string, string | string[]> = {},
    ) => ((await api.call(contract, { params: { flow_name: flow, ...params }, query })).body as Attestation[]).length;
    expect(await of(listTrailAttestations, { trail_name: 't', attestation_name: 'lint' })).toBe(3);
    expect(await of(listTrailAttestations, { trail_name: 't', attestation_name: 'none' })).toBe(0);
    expect(await of(listArtifactAttestations, { fingerprint: 'eeeee', attestation_name: 'lint' })).toBe(2);
    expect(await of(listFlowAttestations, {}, { per_page: '2', page: '3' })).toBe(1);
    expect(
      await of(listAttestationsForCriteria, {}, { flow_name: flow, commit_list: [commit('d'), commit('c')] }),
    ).toBe(1);
    expect(
      await of(
        listAttestationsForCriteria,
        {},
        { flow_name: flow, commit_list: commit('d'), attestation_name: 'unit' },
      ),
    ).toBe(0);
    expect(
      await of(
        listAttestationsForCriteria,
        {},
        { flow_name: flow, commit_list: commit('d'), attestation_type: 'generic' },
      ),
    ).toBe(1);
    expect(
      (
        await api.call(listTrailAttestations, {
          params: { flow_name: flow, trail_name: 'none', attestation_name: 'x' },
        })
      ).status,
    ).toBe(404);
  });
});

it("shows an artifact's own attestations however many others have the name, and links to the rest of a long list", async () => {
  await givenArtifact(api, flow, 'a', { trail_name: 't' });
  await givenArtifact(api, flow, 'b', { trail_name: 't' });
  const scan = (digit: string) => ({
    attestation_name: 'scan',
    is_compliant: digit === 'b',
    artifact_fingerprint: fingerprint(digit),
  });
  await attest(api, flow, 't', scan('a'));
  await Promise.all(Array.from({ length: 1_001 }, () => attest(api, flow, 't', scan('b'))));
  const list = (digit: string, query: Record<string, string> = {}) =>
    api.call(listArtifactAttestations, {
      params: { flow_name: flow, fingerprint: fingerprint(digit), attestation_name: 'scan' },
      query,
    });
  expect((await list('a')).body).toMatchObject([{ is_compliant: false }]);
  const first = await list('b');
  expect((first.body as object[]).length).toBe(1_000);
  const after = new URL(/<(.*)>; rel="next"/.exec(String(first.headers['link']))?.[1] ?? '').searchParams.get('after');
  expect(((await list('b', { after: after ?? '' })).body as object[]).length).toBe(1);
});

it('requires a member, and excludes other orgs', async () => {
  const body = { attestation_name: 'x', is_compliant: true };
  for (const role of ['reader', 'snapshotter'] as const)
    expect((await send(attestGeneric, body, {}, api.org.keys[role])).status).toBe(403);
  expect((await send(attestGeneric, body, {}, api.org.keys.member)).status).toBe(201);
  const other = await api.givenOrg(`other-${flow}`);
  expect((await send(attestGeneric, body, {}, other.keys.admin)).status).toBe(403);
  const theirs = await api.call(listAttestations, { params: { org: other.name }, key: other.keys.admin });
  expect(theirs.body).toMatchObject({ data: [] });
});

it.each([
  [{}, { attestation_name: 'is required' }],
  [{ attestation_name: 'a.b' }, { attestation_name: 'must contain only letters, digits, and - _ ,' }],
  [{ attestation_name: 'a', is_compliant: 'true' }, { is_compliant: 'must be true or false' }],
  [
    { attestation_name: 'a', is_compliant: true, annotations: { ['k'.repeat(256)]: 'x' } },
    { [`annotations.${'k'.repeat(256)}`]: expect.any(String) },
  ],
  [{ attestation_name: 'a', is_compliant: true, annotations: ['x'] }, { annotations: expect.any(String) }],
  [
    { attestation_name: 'a', is_compliant: true, external_urls: { log: { href: 'x', fingerprint: 'abc' } } },
    { 'external_urls.log.fingerprint': 'must be 64 lower-case hexadecimal digits' },
  ],
  [{ attestation_name: 'a', is_compliant: true, external_urls: 'https://x' }, { external_urls: expect.any(String) }],
  [{ attestation_name: 'a', is_compliant: true, typo: 1 }, { typo: 'is unknown' }],
  [{ attestation_name: '__proto__', is_compliant: true }, { attestation_name: 'must not be __proto__' }],
  [
    { attestation_name: 'a', is_compliant: true, external_urls: { 'a\ud800': { href: 'x' } } },
    { external_urls: 'must not contain invalid Unicode characters' },
  ],
])('refuses %j and names the field', async (body, errors) => {
  expect(await send(attestGeneric, body)).toMatchObject({ status: 400, body: { errors } });
  expect(await countRows()).toBe(0);
});

it('refuses a number beyond the range of numbers', async () => {
  const answer = await api.inject({
    method: 'POST',
    url: `/api/v2/attestations/acme/${flow}/trail/t/generic`,
    headers: { authorization: `Bearer ${api.org.keys.admin}`, 'content-type': 'application/json' },
    payload: '{"attestation_name":"a","is_compliant":true,"user_data":{"n":[1e999]}}',
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { errors: { 'user_data.n.0': 'contains a number that is too large' } },
  });
});

it.each(['', '0x10', '-1', '99999999999', '9999999999'])('refuses the claimed time %j', async (claimed) => {
  const answer = await send(
    attestGeneric,
    { attestation_name: 'a', is_compliant: true },
    { 'waymark-claimed-at': claimed },
  );
  expect(answer).toMatchObject({ status: 400, body: { errors: { 'header.waymark-claimed-at': expect.any(String) } } });
});

it('stores annotations and external URLs of any form as sent', async () => {
  const annotations = {
    'team.name': 'x',
    'a b/c=d': '',
    count: 5,
    flag: false,
    none: null,
    list: [1, 'two'],
    nested: { deep: { er: 'ü' } },
    ünï: 'y',
  };
  const external_urls = {
    build: { href: 'https://ci.example.com/1', fingerprint: fingerprint('a') },
    plain: 'https://example.com/plain',
    'with.dot=and': { href: 'https://example.com', fingerprint: null, title: 'more' },
    odd: 5,
  };
  const body = { attestation_name: 'wide', is_compliant: true, annotations, external_urls };
  expect((await send(attestGeneric, body)).status).toBe(201);
  const { body: found } = await api.call(listAttestations, { query: { name: 'wide', flow } });
  expect(found).toMatchObject({ data: [{ annotations, external_urls }] });
});

it('stores the merge commit of a pull request in the form the git host sends', async () => {
  for (const merge_commit of ['0123456789ab', 'ABCDEF', 'r1234', '']) {
    const pull_requests = [{ url: 'https://git.example.com/pr/1', state: 'MERGED', merge_commit }];
    const body = { attestation_name: 'pr', git_provider: 'bitbucket', pull_requests };
    expect(await send(attestPullRequest, body)).toMatchObject({ status: 201 });
  }
  const { body } = await api.call(listAttestations, { query: { name: 'pr', flow } });
  const found = (body as { data: { attestation_data: { pull_requests: { merge_commit: string }[] } }[] }).data;
  expect(found.map(({ attestation_data }) => attestation_data.pull_requests[0]?.merge_commit)).toEqual([
    '',
    'r1234',
    'ABCDEF',
    '0123456789ab',
  ]);
});
