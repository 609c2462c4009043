import {
  attestDecision,
  attestGeneric,
  createControl,
  type Flow,
  getControlDecision,
  getFlow,
  listControlDecisions,
  renameFlow,
  updateControl,
} from '@waymark/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { attestationIdOf, givenFlow } from '../../../test/given/evidence.ts';
import { type Answer, startApi } from '../../../test/harness.ts';

const api = await startApi();
const SECOND = 1000;
const start = new Date('2026-03-01T12:00:00Z').getTime();
const at = (seconds: number) => {
  api.clock.now = new Date(start + seconds * SECOND);
};
const secondsAt = (seconds: number) => String(start / SECOND + seconds);

async function decide(flow: string, name: string, is_compliant: boolean, control = 'SDLC-7'): Promise<string> {
  const answer = await api.call(attestDecision, {
    params: { flow_name: flow, trail_name: 'one' },
    body: { attestation_name: name, control, attestation_data: { is_compliant } },
  });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return attestationIdOf(answer);
}

const params = { identifier: 'SDLC-7' };
type Query = Record<string, string | string[]>;
const list = async (query: Query = {}) => (await api.call(listControlDecisions, { params, query })).body;
const names = async (query: Query = {}) => (await list(query)).decisions.map((decision) => decision.attestation_name);
const flowId = async (flow_name: string) =>
  ((await api.call(getFlow, { params: { flow_name } })) as Answer<Flow>).body.id;

let firstId = '';
let otherId = '';

beforeAll(async () => {
  for (const flow of ['web', 'shop', 'bank']) await givenFlow(api, flow);
  at(0);
  firstId = await decide('web', 'early', true);
  at(10);
  await api.call(createControl, { body: { identifier: 'SDLC-7', name: 'Reviewed' } });
  await api.call(createControl, { body: { identifier: 'OTHER', name: 'Other' } });
  at(20);
  await decide('web', 'web-good', true);
  at(30);
  await api.call(updateControl, { params, body: { name: 'Reviewed twice' } });
  await decide('shop', 'shop-bad', false);
  at(40);
  await decide('bank', 'bank-good', true);
  otherId = await decide('bank', 'about-another', true, 'OTHER');
  await api.call(attestGeneric, {
    params: { flow_name: 'bank', trail_name: 'one' },
    body: { attestation_name: 'no-decision', is_compliant: true },
  });
});

describe('the decisions on a control', () => {
  it('are its decision attestations, newest first, each with the version that was decided on', async () => {
    const { decisions, ...page } = await list();
    expect(
      decisions.map(({ attestation_name, control, control_version, is_compliant, flow_name, attestation_type }) => ({
        ...{ attestation_name, control, control_version, is_compliant, flow_name, attestation_type },
      })),
    ).toEqual(
      [
        { attestation_name: 'bank-good', control_version: 2, is_compliant: true, flow_name: 'bank' },
        { attestation_name: 'shop-bad', control_version: 2, is_compliant: false, flow_name: 'shop' },
        { attestation_name: 'web-good', control_version: 1, is_compliant: true, flow_name: 'web' },
        { attestation_name: 'early', control_version: null, is_compliant: true, flow_name: 'web' },
      ].map((decision) => ({ ...decision, control: 'SDLC-7', attestation_type: 'decision' })),
    );
    expect(page).toMatchObject({ page: 1, per_page: 15, total_pages: 1, total_count: 4 });
  });

  it('are paged, in either direction', async () => {
    expect(await names({ sort_direction: 'asc' })).toEqual(['early', 'web-good', 'shop-bad', 'bank-good']);
    expect(await names({ page: '2', per_page: '3' })).toEqual(['early']);
    expect(await names({ page: '3', per_page: '3' })).toEqual([]);
    const link = (page: number) => ({
      href: `http://waymark.test/api/v2/controls/acme/SDLC-7/decisions?page=${page}&per_page=3`,
    });
    expect((await list({ page: '1', per_page: '3' }))._links).toEqual({
      self: link(1),
      first: link(1),
      last: link(2),
      next: link(2),
    });
  });

  it('are narrowed down by verdict and time', async () => {
    expect(await names({ is_compliant: 'false' })).toEqual(['shop-bad']);
    expect(await names({ is_compliant: 'true', per_page: '1' })).toEqual(['bank-good']);
    expect((await list({ is_compliant: 'true' })).total_count).toBe(3);
    expect(await names({ from_timestamp: secondsAt(20), to_timestamp: secondsAt(30) })).toEqual([
      'shop-bad',
      'web-good',
    ]);
    expect(await names({ from_timestamp: secondsAt(41), to_timestamp: '' })).toEqual([]);
  });

  it('are narrowed down by one flow or several, by id or name', async () => {
    expect(await names({ flow_name: 'shop' })).toEqual(['shop-bad']);
    expect(await names({ flow_name: ['shop', 'bank'] })).toEqual(['bank-good', 'shop-bad']);
    expect(await names({ flow_id: await flowId('bank') })).toEqual(['bank-good']);
    expect(await names({ flow_id: await flowId('bank'), flow_name: 'shop' })).toEqual(['bank-good', 'shop-bad']);
    expect(await names({ flow_id: '0190c0de-0000-7000-8000-000000000000' })).toEqual([]);
    await api.call(renameFlow, { params: { flow_name: 'shop' }, body: { new_name: 'store' } });
    expect(await names({ flow_name: 'shop' })).toEqual(['shop-bad']);
  });

  it('are refused with what is wrong, and named when missing', async () => {
    const refused = (query: Query) => api.call(listControlDecisions, { params, query });
    expect(await refused({ flow_name: 'nobody' })).toMatchObject({
      status: 404,
      body: { message: "Flow 'nobody' does not exist in this org" },
    });
    expect(await refused({ flow_id: 'x' })).toMatchObject({
      status: 400,
      body: { errors: { 'query.flow_id': expect.any(String) } },
    });
    expect(await refused({ from_timestamp: 'yesterday' })).toMatchObject({
      status: 400,
      body: { errors: { 'query.from_timestamp': 'must be seconds since 1970' } },
    });
    expect(await api.call(listControlDecisions, { params: { identifier: 'NONE' } })).toMatchObject({
      status: 404,
      body: { message: "Control 'NONE' does not exist in this org" },
    });
  });
});

describe('one decision', () => {
  const read = (attestation_id: string, identifier = 'SDLC-7') =>
    api.call(getControlDecision, { params: { identifier, attestation_id } });

  it('is read by its id', async () => {
    expect(await read(firstId)).toMatchObject({
      status: 200,
      body: { attestation_id: firstId, attestation_name: 'early', control: 'SDLC-7', control_version: null },
    });
  });

  it('of another control, or none at all, is a 404', async () => {
    expect(await read(otherId)).toMatchObject({
      status: 404,
      body: { message: `Control 'SDLC-7', decision '${otherId}' does not exist in this org` },
    });
    expect((await read(otherId, 'OTHER')).status).toBe(200);
    expect((await read('0190c0de-0000-7000-8000-000000000000')).status).toBe(404);
    expect(await read(firstId, 'NONE')).toMatchObject({
      status: 404,
      body: { message: "Control 'NONE' does not exist in this org" },
    });
    expect(await read('x')).toMatchObject({
      status: 400,
      body: { errors: { attestation_id: 'must be the id of an attestation' } },
    });
  });
});

it('decisions of another org are neither listed nor found', async () => {
  const others = await api.givenOrg('decision-others');
  const theirs = { key: others.keys.admin, params: { org: others.name, identifier: 'SDLC-7' } };
  await api.call(createControl, { ...theirs, body: { identifier: 'SDLC-7', name: 'theirs' } });
  expect((await api.call(listControlDecisions, theirs)).body).toMatchObject({ total_count: 0, decisions: [] });
  const one = { ...theirs, params: { ...theirs.params, attestation_id: firstId } };
  expect((await api.call(getControlDecision, one)).status).toBe(404);
  const inOurs = { key: others.keys.admin, params };
  expect((await api.call(listControlDecisions, inOurs)).status).toBe(403);
});
