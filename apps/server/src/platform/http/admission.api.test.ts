import { getFlow, listFlows, putFlow } from '@waymark/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { holdRows } from '../../../test/given/held-rows.ts';
import { countHeldUp } from '../../../test/given/held-up.ts';
import { startApi, type TestOrg } from '../../../test/harness.ts';

const ALONE = 6;
const CROWDED = 2;

const api = await startApi({
  admissionLimits: { runningAlone: ALONE, runningPerOrg: CROWDED, runningOfHeaviest: CROWDED, waitingPerOrg: 40 },
});
const sibling = await api.givenOrg('sibling');
const other = await api.givenOrg('other');

const put = (org: TestOrg, description: string, at = api) =>
  at.call(putFlow, { key: org.keys.admin, params: { org: org.name }, body: { name: 'held', description } });
const read = (org: TestOrg) => api.call(listFlows, { key: org.keys.admin, params: { org: org.name } });

beforeAll(async () => {
  await sql`
    update org set creating_user_id = (select min(id::text)::uuid from user_account)
    where name in (${api.org.name}, 'sibling')`.execute(api.db);
  for (const org of [api.org, sibling, other]) await put(org, 'first');
});

/** Requests that wait for a locked row until the test releases it. */
async function holdUp(org: TestOrg, count: number) {
  const letGo = await holdRows(api.db, sql`select from flow where org_id = ${org.id} and name = 'held' for update`);
  const asked = Array.from({ length: count }, (_, i) => put(org, `change ${i}`));
  await expect.poll(() => countHeldUp(api.db)).toBe(CROWDED);
  return async () => {
    await letGo();
    return (await Promise.all(asked)).map(({ status }) => status);
  };
}

const figures = () => api.app.admission.figures();

describe('requests under way', () => {
  it('are fewer while others ask as well, and all are done in the end', async () => {
    await read(other);
    const release = await holdUp(api.org, 10);
    await expect.poll(figures).toMatchObject({ running: CROWDED, waiting: 10 - CROWDED });
    expect((await read(other)).status).toBe(200);
    expect(await release()).toEqual(Array.from({ length: 10 }, () => 200));
    expect(figures()).toMatchObject({ running: 0, waiting: 0 });
  });

  it('count for the person who created the org, with all orgs of that person', async () => {
    await read(other);
    const release = await holdUp(api.org, 10);
    await expect.poll(figures).toMatchObject({ running: CROWDED, waiting: 10 - CROWDED });
    const waiting = read(sibling);
    await expect.poll(figures).toMatchObject({ running: CROWDED, waiting: 11 - CROWDED });
    expect((await read(other)).status).toBe(200);
    await release();
    expect((await waiting).status).toBe(200);
  });

  it('wait for their turn before it is found out who calls', async () => {
    await read(other);
    const release = await holdUp(api.org, CROWDED);
    await expect.poll(figures).toMatchObject({ running: CROWDED, waiting: 0 });
    const unknown = api.call(getFlow, { key: api.org.keys.admin, params: { org: api.org.name, flow_name: 'none' } });
    const invalid = api.call(getFlow, { key: 'nobody', params: { org: api.org.name, flow_name: 'none' } });
    await expect.poll(figures).toMatchObject({ running: CROWDED, waiting: 1 });
    expect((await invalid).status).toBe(401);
    await release();
    expect((await unknown).status).toBe(404);
  });

  it('wait for their turn before their bodies are read', async () => {
    await read(other);
    const release = await holdUp(api.org, CROWDED);
    await expect.poll(figures).toMatchObject({ running: CROWDED, waiting: 0 });
    const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`field-${i}`, 1]));
    // A key that nobody has used yet has had no turn before this one.
    const invalid = [{ name: '' }, { ...fields, name: 'held' }].map((body) =>
      api.call(putFlow, { key: api.org.keys.member, params: { org: api.org.name }, body }),
    );
    await expect.poll(figures).toMatchObject({ running: CROWDED, waiting: 2 });
    expect((await read(other)).status).toBe(200);
    await release();
    expect((await Promise.all(invalid)).map(({ status }) => status)).toEqual([400, 400]);
    expect(figures()).toMatchObject({ running: 0, waiting: 0 });
  });

  it('are refused when too many wait, with 503 and when to come again, and those of others are not', async () => {
    await read(other);
    const letGo = await holdRows(api.db, sql`select from flow where org_id = ${api.org.id} for update`);
    const asked = Array.from({ length: 60 }, (_, i) => put(api.org, `change ${i}`));
    const refused = await Promise.race(asked);
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { message: 'Your org has too many requests in progress. Try again shortly' },
    });
    expect((await read(other)).status).toBe(200);
    await letGo();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect((await api.call(getFlow, { params: { flow_name: 'held' } })).status).toBe(200);
  });
});

describe('a request that would wait in vain', () => {
  it('is refused before the key is looked up, and those of others are not', async () => {
    // The queue counts as congested as soon as somebody waits in it.
    const congestion = { afterMs: 0, patienceMs: -1 };
    const strict = await startApi({
      admissionLimits: {
        runningAlone: 1,
        runningOfLight: 1,
        runningOfHeaviest: 1,
        runningPerOrg: 1,
        congestion,
        congestionOfHeaviest: congestion,
        congestedFrom: 1,
      },
    });
    const neighbor = await strict.givenOrg('neighbor');
    const address = await strict.app.http.listen({ host: '127.0.0.1', port: 0 });
    const ask = async (org: TestOrg, path: string, body?: string) => {
      const answer = await fetch(`${address}/api/v2${path}`, {
        headers: { authorization: `Bearer ${org.keys.admin}`, 'x-request-id': 'asked-1' },
        ...(body !== undefined && { method: 'PUT', body }),
      });
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
    };
    await put(strict.org, 'first', strict);
    const letGo = await holdRows(strict.db, sql`select from flow where org_id = ${strict.org.id} for update`);
    const asked = ['second', 'third'].map((description) => put(strict.org, description, strict));
    // The first used a new key and had one turn. The second takes its other turn, and the third waits for that.
    await expect.poll(() => strict.app.admission.figures()).toMatchObject({ running: 1, waiting: 1, admitted: 4 });

    const refused = await ask(strict.org, `/flows/${strict.org.name}`);
    expect(refused).toMatchObject({
      status: 503,
      headers: {
        'retry-after': '1',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': 'asked-1',
      },
    });
    expect(JSON.parse(refused.body)).toEqual({
      message: 'Your org has too many requests in progress. Try again shortly',
      request_id: 'asked-1',
    });
    // Headers of one request do not affect the next.
    expect((await ask(strict.org, `/flows/${strict.org.name}`, 'x'.repeat(500_000))).status).toBe(503);
    const scim = await ask(strict.org, `/scim/v2/${strict.org.name}/Users`);
    expect(scim).toMatchObject({
      status: 503,
      headers: { 'content-type': 'application/scim+json; charset=utf-8' },
    });
    expect((await ask(neighbor, `/flows/${neighbor.name}`)).status).toBe(200);

    await letGo();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await ask(strict.org, `/flows/${strict.org.name}`)).status).toBe(200);
    expect(strict.app.admission.figures()).toMatchObject({ running: 0, waiting: 0, refused: 3 });
  });
});
