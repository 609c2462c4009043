import {
  type Attestation,
  attestSnyk,
  type FindingLevel,
  listAttestations,
  putFindingsThreshold,
} from '@waymark/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { commit, fingerprint, givenArtifact, givenFlow, sendForm, trailOf } from '../../../test/given/evidence.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
let flow = '';
let count = 0;
beforeEach(async () => {
  flow = `scanned-${++count}`;
  await api.db.updateTable('org').set({ findings_fail_at: null }).where('id', '=', api.org.id).execute();
});

const setOrg = (fails_at: FindingLevel) => api.call(putFindingsThreshold, { body: { fails_at } });

const TEMPLATE = `version: 1
trail:
  attestations:
    - { name: scan, type: snyk, fails_at: warning }
    - { name: lenient, type: snyk, fails_at: error }
    - { name: other, type: snyk }
  artifacts:
    - name: web
      attestations:
        - { name: scan, type: snyk, fails_at: note }
`;

const result = (level: string) => ({ ruleId: `rule-${level}`, level, message: { text: 'bad' } });
const sarif = (...levels: string[]) =>
  JSON.stringify({
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'Scanner' } }, results: levels.map(result) }],
  });

const attest = (name: string, levels: string[], more: object = {}, trail = 't') =>
  sendForm(
    api,
    'POST',
    `/attestations/acme/${flow}/trail/${trail}/snyk`,
    { data_json: { attestation_name: name, ...more } },
    { part: 'attachment_file', name: 'scan.sarif', content: sarif(...levels) },
  );

async function newest(): Promise<Attestation> {
  const { body } = await api.call(listAttestations, { query: { flow, per_page: '1' } });
  const [attestation] = (body as { data: Attestation[] }).data;
  if (!attestation) throw new Error('nothing was recorded');
  return attestation;
}

async function judged(name: string, levels: string[], more: object = {}, trail = 't') {
  expect((await attest(name, levels, more, trail)).status).toBe(201);
  const { is_compliant, reasons, evaluation } = await newest();
  const { threshold } = evaluation as { threshold: { fails_at: string; set_by: string } };
  return [is_compliant, `${threshold.fails_at} by ${threshold.set_by}`, ...reasons];
}

describe('without a setting', () => {
  beforeEach(() => givenFlow(api, flow, 'version: 1\n'));

  it('errors fail, and warnings and notes are recorded, counted and reported', async () => {
    expect(await attest('scan', ['note', 'warning', 'note'])).toMatchObject({
      status: 201,
      body: expect.stringMatching(/: compliant\. 1 warning, 2 notes; fails at error, by default\.$/),
    });
    expect(await newest()).toMatchObject({
      is_compliant: true,
      reasons: [],
      evaluation: { errors: 0, warnings: 1, notes: 2, threshold: { fails_at: 'error', set_by: 'default' } },
    });
    expect(await judged('scan', ['note', 'error'])).toEqual([
      false,
      'error by default',
      '1 error, 1 note (rule-error); fails at error, by default.',
    ]);
    expect((await trailOf(api, flow, 't')).compliance_state).toBe('NON-COMPLIANT');
  });

  it('the reporter can be stricter, but not laxer than the org', async () => {
    expect(await judged('scan', ['warning'], { fails_at: 'warning' })).toEqual([
      false,
      'warning by request',
      '1 warning (rule-warning); fails at warning, set by the reporter.',
    ]);
    await setOrg('note');
    expect(await judged('scan', ['note'], { fails_at: 'error' })).toEqual([
      false,
      'note by org',
      '1 note (rule-note); fails at note, set by the org.',
    ]);
  });

  it('a change by the org leaves earlier verdicts alone', async () => {
    expect(await judged('scan', ['warning'])).toEqual([true, 'error by default']);
    await setOrg('warning');
    expect(await newest()).toMatchObject({ is_compliant: true });
    expect((await judged('scan', ['warning']))[0]).toBe(false);
  });

  it('is refused for an unknown level', async () => {
    const params = { flow_name: flow, trail_name: 't' };
    const body = {
      attestation_name: 'scan',
      snyk_results: { results: [{ high_count: 0, medium_count: 0, low_count: 0 }] },
      fails_at: 'high' as never,
    };
    expect(await api.call(attestSnyk, { params, body })).toMatchObject({
      status: 400,
      body: { errors: { fails_at: expect.any(String) } },
    });
  });
});

describe('with a template', () => {
  beforeEach(() => givenFlow(api, flow, TEMPLATE));

  it('the slot of the trail makes it stricter, also in the report that begins the trail', async () => {
    expect(await judged('scan', ['warning'])).toEqual([
      false,
      'warning by template',
      '1 warning (rule-warning); fails at warning, set by the template.',
    ]);
    expect(await judged('scan', ['note'])).toEqual([true, 'warning by template']);
    expect(await judged('other', ['warning'])).toEqual([true, 'error by default']);
  });

  it('the slot of the artifact counts by its name in the template and by its fingerprint', async () => {
    const about = { target_artifacts: ['web'], git_commit_info: { sha1: commit('a') } };
    expect((await judged('scan', ['note'], about))[1]).toBe('note by template');
    await givenArtifact(api, flow, 'a', { trail_name: 't', template_reference_name: 'web' });
    expect((await judged('scan', ['note'], { artifact_fingerprint: fingerprint('a') }))[1]).toBe('note by template');
    await givenArtifact(api, flow, 'b', { trail_name: 't' });
    expect((await judged('scan', ['note'], { artifact_fingerprint: fingerprint('b') }))[1]).toBe('error by default');
  });

  it('the slot cannot be laxer than the org', async () => {
    expect((await judged('lenient', ['warning']))[1]).toBe('error by template');
    await setOrg('warning');
    expect(await judged('lenient', ['warning'])).toEqual([
      false,
      'warning by org',
      '1 warning (rule-warning); fails at warning, set by the org.',
    ]);
  });

  it('a trail uses the template that it began with', async () => {
    expect((await judged('scan', ['note']))[1]).toBe('warning by template');
    await givenFlow(api, flow, 'version: 1\n');
    expect((await judged('scan', ['note']))[1]).toBe('warning by template');
    expect((await judged('scan', ['note'], {}, 'next'))[1]).toBe('error by default');
  });

  it("evidence for an unknown flow is judged by the org's setting alone", async () => {
    flow = `${flow}-made`;
    expect((await judged('scan', ['warning']))[1]).toBe('error by default');
  });
});
