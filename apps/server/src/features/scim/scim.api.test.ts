import { randomInt } from 'node:crypto';
import {
  listFlows,
  roles,
  scimCreateGroup,
  scimCreateUser,
  scimGetResourceType,
  scimGetSchema,
  scimGetServiceProviderConfig,
  scimListGroups,
  scimListResourceTypes,
  scimListSchemas,
  scimListUsers,
} from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { givenPerson, givenSession } from '../../../test/given/people.ts';
import { entraUser, givenScim, groupOf, type ScimAnswer } from '../../../test/given/scim.ts';
import { startApi } from '../../../test/harness.ts';

const api = await startApi();
const org = await api.givenOrg('spoken');
const other = await api.givenOrg('unspoken');
const scim = await givenScim(api, org);
const foreign = await givenScim(api, other);

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

function expectProblem(answer: ScimAnswer, status: number, detail: unknown, scimType?: string): void {
  expect(answer).toMatchObject({ status, type: 'application/scim+json; charset=utf-8' });
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  expect(answer.body).toEqual({ schemas: [ERROR], status: String(status), detail, ...(scimType && { scimType }) });
}

it('reports its capabilities, and the attributes it stores', async () => {
  const config = await scim.send(scimGetServiceProviderConfig);
  expect(config).toMatchObject({
    status: 200,
    type: 'application/scim+json; charset=utf-8',
    body: { patch: { supported: true }, bulk: { supported: false }, filter: { supported: true, maxResults: 200 } },
  });
  const types = await scim.send(scimListResourceTypes);
  expect(types.body).toMatchObject({ totalResults: 2, Resources: [{ id: 'User' }, { id: 'Group' }] });
  expect((await scim.send(scimGetResourceType, { id: 'Group' })).body).toMatchObject({ endpoint: '/Groups' });
  const schemas = await scim.send(scimListSchemas);
  expect(schemas.body.totalResults).toBe(2);
  for (const { id } of schemas.body.Resources) {
    const one = await scim.send(scimGetSchema, { id });
    expect(one.body).toMatchObject({ id, meta: { location: `${scim.baseUrl}/Schemas/${id}` } });
  }
  expectProblem(
    await scim.send(scimGetResourceType, { id: 'Device' }),
    404,
    "Resource type 'Device' does not exist in this org",
  );
  expectProblem(await scim.send(scimGetSchema, { id: 'x' }), 404, "Schema 'x' does not exist in this org");
});

it('is open to the key of the org’s identity provider alone, which opens nothing else', async () => {
  const noEntry = 'There is no such org, or you are not a member of it';
  const notMade = 'SCIM accepts only the key that was created for it';
  const person = await givenPerson(api, { org, role: 'admin' });
  for (const contract of [scimListUsers, scimListGroups, scimCreateUser, scimGetServiceProviderConfig]) {
    const body = contract.method === 'GET' ? {} : { body: entraUser('intruder@example.test') };
    const unknown = await scim.send(contract, { ...body, key: '' });
    expectProblem(unknown, 401, 'An API key is required: send it as "Authorization: Bearer <key>"');
    expect(unknown.headers.get('www-authenticate')).toBe('Bearer');
    for (const role of roles) expectProblem(await scim.send(contract, { ...body, key: org.keys[role] }), 403, notMade);
    expectProblem(await scim.send(contract, { ...body, key: person.key }), 403, notMade);
    const signed = { ...(await givenSession(api, person)) };
    expectProblem(await scim.send(contract, { ...body, key: '', headers: signed }), 403, notMade);
    expectProblem(await scim.send(contract, { ...body, key: foreign.key }), 403, noEntry);
    expectProblem(await scim.send(contract, { ...body, org: other.name }), 403, noEntry);
    expectProblem(await scim.send(contract, { ...body, org: 'never-was' }), 403, noEntry);
  }
  expect(await api.call(listFlows, { params: { org: org.name }, key: scim.key })).toMatchObject({
    status: 403,
    body: { message: 'This key is only valid for SCIM' },
  });
});

it('answers in its own form where there is nothing, and what is not understood', async () => {
  expectProblem(await scim.sendTo('GET', '/Me'), 404, `Nothing found at GET /api/v2/scim/v2/${org.name}/Me`);
  expect((await scim.sendTo('POST', '/Bulk', { body: {} })).status).toBe(404);
  expectProblem(
    await scim.sendTo('GET', '/Users/%E0%A4%A'),
    400,
    expect.stringContaining('percent-encoding'),
    'invalidSyntax',
  );
  expectProblem(await scim.sendTo('POST', '/Users', { body: '{' }), 400, expect.any(String), 'invalidSyntax');
  expectProblem(await scim.sendTo('POST', '/Users', { body: '[]' }), 400, expect.any(String), 'invalidValue');
  expectProblem(await scim.sendTo('POST', '/Users'), 400, expect.any(String), 'invalidValue');
  const xml = { body: '<user/>', headers: { 'content-type': 'application/xml' } };
  expectProblem(await scim.sendTo('POST', '/Users', xml), 400, expect.any(String), 'invalidSyntax');
});

it('refuses texts that no index has room for, and keeps those that just fit', async () => {
  const wide = (length: number) =>
    Array.from({ length }, () => String.fromCodePoint(0x4e00 + randomInt(20_000))).join('');
  const reason = (field: string) => `${field} must not be longer than 1000 characters, or 1500 bytes`;
  const sent = [
    [scimCreateUser, 'userName', (text: string) => entraUser('wide@example.test', { userName: text })],
    [scimCreateUser, 'externalId', (text: string) => entraUser('wide@example.test', { externalId: text })],
    [
      scimCreateUser,
      'emails.value',
      (text: string) => entraUser('wide@example.test', { emails: [{ value: 'w@x.y' }, { value: text }] }),
    ],
    [scimCreateGroup, 'displayName', groupOf],
  ] as const;
  for (const [contract, field, body] of sent) {
    expectProblem(await scim.send(contract, { body: body(wide(501)) }), 400, reason(field), 'invalidValue');
  }
  // In lower case it is half as long again.
  const longest = `${wide(100)}${'Ⱥ'.repeat(600)}`;
  const all = { userName: wide(500), externalId: wide(500), emails: [{ value: 'w@x.y' }, { value: longest }] };
  expect((await scim.send(scimCreateUser, { body: entraUser('wide@example.test', all) })).status).toBe(201);
  expect((await scim.send(scimCreateGroup, { body: groupOf(longest) })).status).toBe(201);
});

it('takes plain JSON as well', async () => {
  const headers = { 'content-type': 'application/json' };
  const body = entraUser('plain@example.test');
  expect((await scim.send(scimCreateUser, { body, headers })).status).toBe(201);
});

it('refuses a body that is too large', async () => {
  const user = entraUser('large@example.test', { displayName: 'x'.repeat(1024 * 1024) });
  expectProblem(await scim.send(scimCreateUser, { body: user }), 413, 'The body is too large: the maximum is 1 MiB');
  const group = { ...groupOf('Large'), x: 'x'.repeat(4 * 1024 * 1024) };
  expectProblem(await scim.send(scimCreateGroup, { body: group }), 413, 'The body is too large: the maximum is 4 MiB');
});

it('says when to retry after too many requests, or while the same one is in progress', async () => {
  const key = 'under-way';
  const setup = await api.db
    .selectFrom('scim_setup')
    .select('service_account_id')
    .where('org_id', '=', org.id)
    .executeTakeFirstOrThrow();
  await api.db.transaction().execute(async (db) => {
    const lock = `${org.id} ${setup.service_account_id} ${key}`;
    await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(db);
    const body = entraUser('under-way@example.test');
    const answer = await scim.send(scimCreateUser, { body, headers: { 'idempotency-key': key } });
    expectProblem(answer, 503, 'A request with this Idempotency-Key is still in progress');
    expect(answer.headers.get('retry-after')).toBe('1');
  });
  const busy = await startApi({ rateLimit: { perSecond: 0.1, burst: 3 } });
  const hasty = await givenScim(busy, busy.org);
  const answers = [];
  for (let i = 0; i < 6; i++) answers.push(await hasty.send(scimListUsers));
  const last = answers.at(-1);
  if (!last) throw new Error('there are six');
  expectProblem(last, 429, expect.stringContaining('Too many requests'));
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('a repeat with the same Idempotency-Key gets the same answer', async () => {
  const sent = { body: entraUser('repeated@example.test'), headers: { 'idempotency-key': 'again' } };
  const [first, second] = [await scim.send(scimCreateUser, sent), await scim.send(scimCreateUser, sent)];
  expect(second).toMatchObject({ status: 201, type: first.type, body: first.body });
  expect(second.headers.get('location')).toBe(first.headers.get('location'));
});

it('does not see, find or touch what another org has', async () => {
  const { body } = await foreign.send(scimCreateUser, { body: entraUser('theirs@example.test') });
  const find = (filter: string) => scim.send(scimListUsers, { query: { filter } });
  for (const filter of [
    `id eq "${body.id}"`,
    'userName eq "theirs@example.test"',
    'emails.value eq "theirs@example.test"',
  ]) {
    expect((await find(filter)).body.totalResults).toBe(0);
  }
  expectProblem(await scim.sendTo('DELETE', `/Users/${body.id}`), 404, `User '${body.id}' does not exist in this org`);
  expect((await foreign.sendTo('GET', `/Users/${body.id}`)).status).toBe(200);
});
