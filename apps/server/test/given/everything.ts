import { type Contract, contracts, fillPath, patchTags, placeLegalHold, putRetention } from '@waymark/contract';
import type { TestApi } from '../harness.ts';
import { givenEnvironment } from './environments.ts';
import { fingerprint } from './evidence.ts';
import { givenAttached, givenPolicy } from './policies.ts';
import { givenReport } from './reports.ts';
import { type GivenRequest, requests } from './requests.ts';

/** Makes a record of every kind, by all operations that can be tried without effect, and a few more. */
export async function givenEverything(api: TestApi, name = 'all'): Promise<void> {
  for (const [id, given] of Object.entries(requests)) {
    const operation = contracts.find((contract) => contract.id === id);
    if (!operation) throw new Error(`there is no operation '${id}'`);
    await send(api, operation, await given(api, `${name}-${id}`));
  }
  await givenRuns(api, `${name}-runs`);
  for (const type of ['flow', 'environment', 'control', 'repository'] as const) await givenTags(api, type, name);
  await api.call(putRetention, { body: { minimum_years: { attestations: 7, trails: name.length } } });
  for (const env_name of [`${name}-runs`, `${name}-putEnvironment`]) {
    const subject = { kind: 'environment' as const, env_name };
    await api.call(placeLegalHold, { body: { name: env_name, reason: 'A claim about an outage', subject } });
  }
}

async function givenRuns(api: TestApi, name: string): Promise<void> {
  await givenEnvironment(api, name);
  await givenPolicy(api, name);
  await givenAttached(api, name, [name]);
  for (const digits of [['a'], ['a', 'b'], ['b', 'b'], ['c']]) {
    await givenReport(
      api,
      name,
      digits.map((digit, i) => [`app-${i % 2}`, fingerprint(digit)]),
    );
  }
}

async function givenTags(api: TestApi, type: 'flow' | 'environment' | 'control' | 'repository', name: string) {
  const id = {
    flow: `${name}-putFlow`,
    environment: `${name}-runs`,
    control: `${name}-createControl`,
    repository: 'acme/web',
  }[type];
  await api.call(patchTags, { params: { type, id }, body: { set_tags: { team: 'shop', tier: '1' } } });
}

/** Sends a request as an admin, and requires that it succeeds. */
async function send(api: TestApi, operation: Contract, { params = {}, body, file }: GivenRequest): Promise<void> {
  const path = fillPath(operation, (part) => encodeURIComponent(params[part] ?? api.org.name));
  const beta = operation.beta && { 'waymark-beta': operation.beta };
  const headers = { authorization: `Bearer ${api.org.keys.admin}`, ...beta };
  const request = { method: operation.method, url: `/api/v2${path}` };
  const answer =
    file && operation.form
      ? await api.inject({ ...request, ...(await formOf(headers, operation.form, body, file)) })
      : await api.inject({ ...request, headers, ...(body && { payload: body }) });
  if (answer.status >= 300) throw new Error(`${operation.id} failed: ${JSON.stringify(answer.body)}`);
}

async function formOf(
  headers: Record<string, string>,
  form: NonNullable<Contract['form']>,
  body: object | undefined,
  file: NonNullable<GivenRequest['file']>,
) {
  const parts = new FormData();
  parts.append(form.json, JSON.stringify(body));
  parts.append(form.file.name, new Blob([file.content]), file.name);
  const sent = new Request('http://waymark.test', { method: 'POST', body: parts });
  return {
    headers: { ...headers, 'content-type': sent.headers.get('content-type') ?? '' },
    payload: Buffer.from(await sent.arrayBuffer()),
  };
}
