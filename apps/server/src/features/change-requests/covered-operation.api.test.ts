import {
  approveChangeRequest,
  type ChangeControlMode,
  type ChangeRequest,
  type Contract,
  contracts,
  controlRuleOf,
  fillPath,
  getChangeRequest,
} from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { givenPerson } from '../../../test/given/people.ts';
import { givenPolicy } from '../../../test/given/policies.ts';
import { type GivenRequest, requests } from '../../../test/given/requests.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
const ada = await givenPerson(api, { org: api.org, role: 'admin' });
const bea = await givenPerson(api, { org: api.org, role: 'admin' });
const covered = contracts.filter((contract) => contract.dryRun && controlRuleOf(contract));

const set = (mode: ChangeControlMode) =>
  api.db.updateTable('org').set({ change_control: mode }).where('id', '=', api.org.id).execute();

async function givenRequest(contract: Contract, name: string): Promise<GivenRequest> {
  const request = await requests[contract.id]?.(api, name);
  if (!request) throw new Error(`there is no request for ${contract.id}`);
  if (!controlRuleOf(contract)?.onlyWith) return request;
  await givenPolicy(api, name);
  return { ...request, body: { ...request.body, policies: [name] } };
}

function send(contract: Contract, { params = {}, body, file }: GivenRequest, key: string) {
  const path = fillPath(contract, (name) => (name === 'org' ? api.org.name : (params[name] ?? '')));
  const headers = { authorization: `Bearer ${key}` };
  if (!file || !contract.form) {
    return api.inject({ method: contract.method, url: `/api/v2${path}`, headers, ...(body && { payload: body }) });
  }
  const form = new FormData();
  form.append(contract.form.json, JSON.stringify(body));
  form.append(contract.form.file.name, new Blob([file.content]), file.name);
  return api.inject({ method: contract.method, url: `/api/v2${path}`, headers, payload: form });
}

async function written() {
  return (await api.journal()).filter(({ type }) => !type.startsWith('change_request.'));
}

describe.each(covered.map((contract) => [contract.id, contract] as const))('%s', (id, contract) => {
  it('waits for another person, and is then carried out as it was asked for', async () => {
    await set('off');
    const request = await givenRequest(contract, `of-${id.toLowerCase()}`);
    await set('two_people');
    const before = await written();
    const asked = await send(contract, request, ada.key);
    expect(asked.status).toBe(202);
    const change = asked.body as ChangeRequest;
    expect(change).toMatchObject({ operation: id, kind: controlRuleOf(contract)?.kind, is_outdated: false });
    expect(change.before).not.toEqual(change.after);
    expect(await written()).toEqual(before);
    const params = { id: change.id };
    expect((await api.call(getChangeRequest, { params, key: bea.key })).body).toMatchObject({ is_outdated: false });
    const approved = await api.call(approveChangeRequest, { params, key: bea.key });
    expect(approved).toMatchObject({ status: 200, body: { state: 'approved', before: change.before } });
    const added = (await written()).slice(before.length);
    expect(added.length).toBeGreaterThan(0);
    expect(new Set(added.map(({ actor }) => actor))).toEqual(new Set([ada.login]));
    await set('off');
  });
});
