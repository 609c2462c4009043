import { randomUUID } from 'node:crypto';
import {
  addTrustedKey,
  attestGeneric,
  type Contract,
  contract,
  contracts,
  createServiceAccountKey,
  exchangeToken,
  fillPath,
  getAttestationType,
  getSnapshot,
  listFlows,
  postAttestationType,
  putFlow,
  renameFlow,
  reportArtifact,
  reportServer,
  scimCreateUser,
} from '@waymark/contract';
import type { InjectOptions } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sample } from '../../../../../tools/test-size.ts';
import { givenEnvironment } from '../../../test/given/environments.ts';
import { artifact, fingerprint, givenFlow, trailOf } from '../../../test/given/evidence.ts';
import { type GivenRequest, requests } from '../../../test/given/requests.ts';
import { type Answer, noLog, startApi } from '../../../test/harness.ts';
import { openDb } from '../db/db.ts';
import { handle } from './handle.ts';

const TRIED = { dry_run: 'true' };

const api = await startApi();
const marked = contracts.filter((operation) => operation.dryRun);

const filtered = contract({
  id: 'filtered',
  summary: 'Takes a parameter of its own',
  tag: 'Test',
  method: 'POST',
  path: '/filtered/:org',
  access: 'record_evidence',
  dryRun: true,
  params: z.strictObject({ org: z.string() }),
  query: z.strictObject({ name: z.string() }),
  status: 200,
  reply: z.string(),
  errors: [400],
});
handle(api.app, filtered, async (_, { query }) => query.name);

let wakings = 0;
Object.assign(api.app, { onWrite: () => wakings++ });

/** Reads all tables at once, which the service itself never does. */
const everything = openDb({ url: api.url, poolSize: 1, statementTimeoutMs: 30_000 }, noLog);
afterAll(() => everything.destroy());

/** A file is stored, and counted, before the request is known to be a dry run. */
const FILE_TABLES = ['evidence_file', 'org_storage'];

const { rows: tables } = await sql<{ name: string }>`
  select relname as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    and relname <> all(${FILE_TABLES}) order by relname`.execute(everything);

/** Each table with its row count and a digest of its content. */
async function stored(): Promise<Record<string, string>> {
  await api.app.credentialUse.flush();
  const parts = tables.map(
    ({ name }) => sql`select ${name}::text as name,
      count(*) || ' ' || md5(coalesce(string_agg(held::text, ';' order by held::text), '')) as content
      from ${sql.table(name)} as held`,
  );
  const { rows } = await sql<{ name: string; content: string }>`${sql.join(parts, sql` union all `)}`.execute(
    everything,
  );
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]));
}

async function send(
  operation: Contract,
  { params = {}, body, file }: GivenRequest,
  query = '',
  key = api.org.keys.admin,
): Promise<Answer<unknown>> {
  const path = fillPath(operation, (name) =>
    encodeURIComponent(params[name] ?? (name === 'org' ? api.org.name : `no-${name}`)),
  );
  const request: InjectOptions = {
    method: operation.method,
    url: `/api/v2${path}${query}`,
    headers: { authorization: `Bearer ${key}`, ...(operation.beta && { 'waymark-beta': operation.beta }) },
  };
  if (!file || !operation.form) return api.inject({ ...request, ...(body && { payload: body }) });
  const form = new FormData();
  form.append(operation.form.json, JSON.stringify(body));
  form.append(operation.form.file.name, new Blob([file.content]), file.name);
  const sent = new Request('http://waymark.test', { method: 'POST', body: form });
  const headers = { ...request.headers, 'content-type': sent.headers.get('content-type') ?? '' };
  return api.inject({ ...request, headers, payload: Buffer.from(await sent.arrayBuffer()) });
}

const OF_THE_MOMENT = ['waymark-dry-run', 'x-request-id', 'date', 'ratelimit-remaining', 'ratelimit-reset'];

/** Compares everything but ids, which are new each time. */
function comparable({ status, headers, body }: Answer<unknown>) {
  const lasting = Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.includes(name));
  const text = JSON.stringify({ status, headers: Object.fromEntries(lasting), body });
  return JSON.parse(text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')) as unknown;
}

async function triedAndDone(operation: Contract, request: GivenRequest, key?: string) {
  const before = await stored();
  const woken = wakings;
  const tried = await send(operation, request, '?dry_run=true', key);
  expect(await stored(), 'what is stored').toEqual(before);
  expect(wakings, 'wakings of the sequencer').toBe(woken);
  expect(tried.headers['waymark-dry-run']).toBe('true');
  const done = await send(operation, request, '', key);
  expect(comparable(tried)).toEqual(comparable(done));
  expect(done.headers).not.toHaveProperty('waymark-dry-run');
  return { before, done };
}

/** Every request may record the use of its credential, at most once a minute. */
beforeAll(async () => {
  for (const key of Object.values(api.org.keys)) await send(listFlows, {}, '', key);
});

describe('every operation that has a dry run', () => {
  it('has a request here', () => {
    expect(Object.keys(requests).sort()).toEqual(marked.map(({ id }) => id).sort());
  });

  it('changes something, shows no secret and needs a credential', () => {
    const wrong = marked.filter(
      ({ method, shownOnce, access }) => method === 'GET' || shownOnce || access === 'public',
    );
    expect(wrong).toEqual([]);
  });

  it.each(sample(marked, 4))('$id is answered as it would be, and leaves nothing behind', async (operation) => {
    const request = await requests[operation.id]?.(api, operation.id);
    const woken = wakings;
    const { before, done } = await triedAndDone(operation, request ?? {});
    expect(done.status, JSON.stringify(done.body)).toBeLessThan(300);
    expect(await stored(), 'the real one stores something').not.toEqual(before);
    expect(wakings, 'and wakes the sequencer').toBeGreaterThan(woken);
    // Once more: most now change nothing or are refused.
    await triedAndDone(operation, request ?? {});
  });

  it.each(sample(marked, 4))('$id is refused as it would be', async (operation) => {
    await triedAndDone(operation, { ...(operation.body && { body: { nonsense: 1 } }) });
    const byReader = await triedAndDone(operation, {}, api.org.keys.reader);
    expect(byReader.done.status).toBe(403);
    const elsewhere = await triedAndDone(operation, { params: { org: 'nobody' } });
    expect(elsewhere.done.status).toBe(403);
    const request = await requests[operation.id]?.(api, `${operation.id}-2`);
    const nowhere = {
      flow_name: 'nowhere',
      env_name: 'nowhere',
      identifier: 'nowhere',
      name: 'nowhere',
      number: '999',
    };
    const { done } = await triedAndDone(operation, { ...request, params: { ...request?.params, ...nowhere } });
    expect(done.status).toBeLessThan(500);
  });
});

describe('asking for a dry run', () => {
  const flow = (name: string) => ({ body: { name } });
  const names = async () => ((await api.call(listFlows)).body as { name: string }[]).map(({ name }) => name);

  it('with false is the real thing', async () => {
    const answer = await send(putFlow, flow('in-earnest'), '?dry_run=false');
    expect(answer.status).toBe(201);
    expect(answer.headers).not.toHaveProperty('waymark-dry-run');
    expect(await names()).toContain('in-earnest');
  });

  it.each(['?dry_run=', '?dry_run=1', '?dry_run=TRUE', '?dry_run=yes', '?dry_run=true&dry_run=true'])(
    'with %s is refused, and nothing is done',
    async (query) => {
      const answer = await send(putFlow, flow('unclear'), query);
      expect(answer).toMatchObject({
        status: 400,
        body: {
          message: "Invalid query parameter 'dry_run'",
          errors: { 'query.dry_run': 'must be true or false' },
        },
      });
      expect(answer.headers).not.toHaveProperty('waymark-dry-run');
      expect(await names()).not.toContain('unclear');
    },
  );

  const open = contracts.filter(({ access }) => access !== 'scim' && access !== 'session');
  it.each(open.filter(({ method, dryRun }) => method !== 'GET' && !dryRun))(
    '$id has none and says so, whatever the value',
    async (operation) => {
      const key = operation.access === 'public' ? '' : api.org.keys.admin;
      for (const value of ['true', 'false', '']) {
        const answer = await send(operation, { body: {} }, `?dry_run=${value}`, key);
        expect(answer).toMatchObject({
          status: 400,
          body: { errors: { 'query.dry_run': 'this operation has no dry run' } },
        });
        expect(answer.headers).not.toHaveProperty('waymark-dry-run');
      }
    },
  );

  it('is for who may do it in earnest', async () => {
    const answer = await send(putFlow, flow('not-mine'), '?dry_run=true', api.org.keys.reader);
    expect(answer).toMatchObject({ status: 403, headers: { 'waymark-dry-run': 'true' } });
    expect(await send(putFlow, flow('not-mine'), '?dry_run=maybe', '')).toMatchObject({ status: 401 });
    expect(await send(createServiceAccountKey, {}, '?dry_run=true', api.org.keys.reader)).toMatchObject({
      status: 403,
    });
    expect(await send(scimCreateUser, {}, '?dry_run=true')).toMatchObject({ status: 403 });
    expect(await send(exchangeToken, {}, '?dry_run=true', '')).toMatchObject({ status: 400 });
  });

  it('of a read is as it was: a parameter that is not known', async () => {
    expect(await send(listFlows, {}, '?dry_run=true')).toMatchObject({
      status: 400,
      body: { errors: { 'query.dry_run': 'is unknown' } },
    });
  });

  it('goes with other parameters', async () => {
    expect(await send(filtered, {}, '?name=a&dry_run=true')).toMatchObject({ status: 200, body: 'a' });
    expect(await send(filtered, {}, '?nme=a&dry_run=true')).toMatchObject({
      status: 400,
      body: { errors: { 'query.nme': 'is unknown' } },
    });
  });
});

describe('repeats', () => {
  const flow = 'repeated';
  const generic = { params: { flow_name: flow, trail_name: 't' }, body: { attestation_name: 'a', is_compliant: true } };
  beforeEach(() => givenFlow(api, flow));

  it('an Idempotency-Key is neither looked up nor taken', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const sent = await requests['addTrustedKey']?.(api, 'idempotent');
    const call = { headers, body: sent?.body as never };
    expect(await api.call(addTrustedKey, { ...call, query: TRIED })).toMatchObject({ status: 201 });
    expect(await api.call(addTrustedKey, call)).toMatchObject({ status: 201 });
    expect(await api.call(addTrustedKey, call)).toMatchObject({ status: 201 });
    expect(await api.call(addTrustedKey, { ...call, query: TRIED })).toMatchObject({
      status: 400,
      body: { errors: { name: expect.stringContaining('is taken') } },
    });
  });

  it('a malformed Idempotency-Key is refused as it would be', async () => {
    const call = { ...generic, headers: { 'idempotency-key': 'a b' } };
    const [tried, done] = [
      await api.call(attestGeneric, { ...call, query: TRIED }),
      await api.call(attestGeneric, call),
    ];
    expect(tried).toMatchObject({ status: 400, body: { errors: { 'Idempotency-Key': expect.any(String) } } });
    expect(tried.body).toEqual({ ...(done.body as unknown as object), request_id: expect.any(String) });
  });

  it.each([
    ['an attestation', attestGeneric, generic],
    ['an artifact', reportArtifact, { params: { flow_name: flow }, body: artifact('b', { trail_name: 't' }) }],
  ] as const)('%s that was tried under an evidence id is recorded once under it', async (_, operation, call) => {
    const headers = { 'waymark-evidence-id': randomUUID() };
    const journal = (await api.journal()).length;
    const send = (query = {}) =>
      api.call(operation as typeof attestGeneric, { ...(call as typeof generic), headers, query });
    expect(await send(TRIED)).toMatchObject({ status: 201 });
    const first = await send();
    const entries = (await api.journal()).length;
    expect(entries).toBeGreaterThan(journal);
    const again = await send(TRIED);
    expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'waymark-dry-run': 'true' } });
    expect(again.headers['waymark-attestation']).toBe(first.headers['waymark-attestation']);
    expect(await send()).toMatchObject({ status: 201, body: first.body });
    expect((await api.journal()).length).toBe(entries);
  });

  it('an evidence id that another report has is refused', async () => {
    const headers = { 'waymark-evidence-id': randomUUID() };
    await api.call(attestGeneric, { ...generic, headers });
    const body = { attestation_name: 'other', is_compliant: true };
    expect(await api.call(attestGeneric, { ...generic, body, headers, query: TRIED })).toMatchObject({
      status: 400,
      body: { errors: { 'header.waymark-evidence-id': 'was already used for another report' } },
    });
  });
});

describe('reports', () => {
  const report = (env: string, digits: string, query = {}) =>
    api.call(reportServer, {
      params: { env_name: env },
      body: {
        artifacts: digits
          .split('')
          .map((digit) => ({ digests: { [digit]: fingerprint(digit) }, creationTimestamp: 1 })),
      },
      query,
    });

  it('are numbered as if there had been no dry run', async () => {
    await givenEnvironment(api, 'tried');
    for (let i = 0; i < 3; i++) {
      expect(await report('tried', 'a', TRIED)).toMatchObject({ headers: { 'waymark-snapshot': '1; created' } });
    }
    expect(await report('tried', 'a')).toMatchObject({ headers: { 'waymark-snapshot': '1; created' } });
    expect(await report('tried', 'ab', TRIED)).toMatchObject({
      headers: { 'waymark-snapshot': '2; created' },
      body: "Snapshot 2 of 'tried' created: 1 started, 0 exited",
    });
    expect(await report('tried', 'a', TRIED)).toMatchObject({ headers: { 'waymark-snapshot': '1; unchanged' } });
    expect(await report('tried', 'b')).toMatchObject({ headers: { 'waymark-snapshot': '2; created' } });
    const { body } = await api.call(getSnapshot, { params: { env_name: 'tried', snapshot_expression: '2' } });
    expect((body as { artifacts: { name: string }[] }).artifacts.map(({ name }) => name).sort()).toEqual(['a', 'b']);
  });

  it('that were tried do not count as news from the environment', async () => {
    await givenEnvironment(api, 'silent');
    await report('silent', 'a');
    const heard = () =>
      sql<{ at: Date }>`select last_reported_at as at from environment_heartbeat
        join environment on environment.org_id = environment_heartbeat.org_id and environment.id = environment_id
        where environment.name = 'silent'`
        .execute(everything)
        .then(({ rows }) => rows[0]?.at);
    const before = await heard();
    api.clock.now = new Date(api.clock.now.getTime() + 60_000);
    expect(await report('silent', 'a', TRIED)).toMatchObject({ headers: { 'waymark-snapshot': '1; unchanged' } });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await heard()).toEqual(before);
  });

  it('that are large and were tried are read all the same', async () => {
    await givenEnvironment(api, 'large');
    const large = (first: string) => ({
      artifacts: Array.from({ length: 2_000 }, (_, i) => ({
        digests: { [`${first}-${i}`]: fingerprint('c') },
        creationTimestamp: 1,
      })),
    });
    const send = (first: string, query = {}) =>
      api.call(reportServer, { params: { env_name: 'large' }, body: large(first), query });
    const snapshotHeader = ({ headers }: Answer<unknown>) => headers['waymark-snapshot'];
    expect(snapshotHeader(await send('x', TRIED))).toBe('1; created');
    expect(snapshotHeader(await send('x'))).toBe('1; created');
    expect(snapshotHeader(await send('y', TRIED))).toBe('2; created');
    expect(snapshotHeader(await send('x'))).toBe('1; unchanged');
    expect(snapshotHeader(await send('y'))).toBe('2; created');
  });

  it('in earnest are not in the way of those that are tried, nor the other way round', async () => {
    await givenEnvironment(api, 'busy');
    const digits = '0123456789abcdef0123'.split('');
    const answers = await Promise.all(
      digits.flatMap((digit, i) => [report('busy', digit), report('busy', digits[(i + 7) % 16] ?? '', TRIED)]),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const real = answers.filter(({ headers }) => headers['waymark-dry-run'] === undefined);
    const made = real.map(({ headers }) => String(headers['waymark-snapshot'])).filter((it) => it.endsWith('created'));
    const { rows } = await sql<{ index: number }>`select snapshot.index from snapshot
      join environment on environment.org_id = snapshot.org_id and environment.id = environment_id
      where environment.name = 'busy' order by 1`.execute(everything);
    expect(rows.map(({ index }) => index)).toEqual(made.map((_, i) => i + 1));
  });
});

describe('beside real requests', () => {
  it('20 attestations under one evidence id and 20 that are tried record one', async () => {
    await givenFlow(api, 'raced');
    const call = {
      params: { flow_name: 'raced', trail_name: 't' },
      body: { attestation_name: 'a', is_compliant: true },
      headers: { 'waymark-evidence-id': randomUUID() },
    };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => [
        api.call(attestGeneric, call),
        api.call(attestGeneric, { ...call, query: TRIED }),
      ]).flat(),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const ids = answers
      .filter(({ headers }) => headers['waymark-dry-run'] === undefined)
      .map(({ headers }) => headers['waymark-attestation']);
    expect(new Set(ids).size).toBe(1);
    const recorded = (await api.journal()).filter(
      ({ type, payload }) => type === 'attestation.recorded' && (payload as { flow: string }).flow === 'raced',
    );
    expect(recorded).toHaveLength(1);
    expect((await trailOf(api, 'raced', 't')).name).toBe('t');
  });

  it('changes of one flow are numbered without a gap', async () => {
    await givenFlow(api, 'numbered');
    const put = (i: number, query = {}) =>
      api.call(putFlow, { body: { name: 'numbered', description: String(i) }, query });
    await Promise.all(Array.from({ length: 20 }, (_, i) => [put(i), put(i, TRIED)]).flat());
    const { rows } = await sql<{ seq: number }>`select subject_seq as seq from journal
      join flow on flow.org_id = journal.org_id and flow.id = subject_id
      where flow.name = 'numbered' order by journal.seq`.execute(everything);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, i) => i + 1));
  });

  it('a name that was tried is free for somebody else', async () => {
    await givenFlow(api, 'old-name');
    const rename = { params: { flow_name: 'old-name' }, body: { new_name: 'new-name' } };
    expect(await api.call(renameFlow, { ...rename, query: TRIED })).toMatchObject({ status: 200 });
    expect(await api.call(putFlow, { body: { name: 'new-name' } })).toMatchObject({ status: 201 });
    expect(await api.call(renameFlow, { ...rename, query: TRIED })).toMatchObject({
      status: 400,
      body: { errors: { new_name: "is taken: flow 'new-name' already exists" } },
    });
  });

  it('a type that was tried is not there to judge by', async () => {
    const type = { body: { name: 'tried-type' } };
    expect(await api.call(postAttestationType, { ...type, query: TRIED })).toMatchObject({ status: 201 });
    expect(await api.call(getAttestationType, { params: { name: 'tried-type' } })).toMatchObject({ status: 404 });
  });
});
