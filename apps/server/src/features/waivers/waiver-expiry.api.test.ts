import { allowArtifact, archiveEnvironment, listEnvironmentWaivers } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { environmentOf, givenEnvironment } from '../../../test/given/environments.ts';
import { fingerprint } from '../../../test/given/evidence.ts';
import { noLog, startApi, type TestOrg } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { expireWaivers } from './waiver.service.ts';
import { endExpired, runWaiverExpiry } from './waiver-expiry.ts';

const api = await startApi();
const parts = { db: api.db, log: noLog, now: () => api.clock.now };
const seconds = () => api.clock.now.getTime() / 1000;

function pass(s: number): void {
  api.clock.now = new Date(api.clock.now.getTime() + s * 1000);
}

async function allow(environment: string, digit: string, forSeconds: number | null, org: TestOrg = api.org) {
  const answer = await api.call(allowArtifact, {
    params: { org: org.name, env_name: environment },
    key: org.keys.member,
    body: {
      artifact_fingerprint: fingerprint(digit),
      artifact_name: `app-${digit}`,
      description: 'For a while',
      expires_at: forSeconds && seconds() + forSeconds,
    },
  });
  if (answer.status !== 201) throw new Error(`it was not allow-listed: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function expired(environment: string, org: TestOrg = api.org) {
  return (await api.journal(org)).filter(
    ({ type, payload }) =>
      type === 'allow_list.expired' && (payload as { environment: string }).environment === environment,
  );
}

it('ends expired waivers once, and records it in the journal', async () => {
  await givenEnvironment(api, 'prod');
  const short = await allow('prod', 'a', 60);
  await allow('prod', 'b', 120);
  await allow('prod', 'c', null);
  expect(await endExpired(parts)).toBe(0);
  pass(59.999);
  expect(await endExpired(parts)).toBe(0);
  pass(0.001);
  expect(await endExpired(parts)).toBe(1);
  expect(await endExpired(parts)).toBe(0);
  expect(await expired('prod')).toEqual([
    {
      type: 'allow_list.expired',
      subject_seq: 5,
      actor: 'expiry',
      payload: {
        id: short.id,
        environment: 'prod',
        fingerprint: fingerprint('a'),
        name: 'app-a',
        reason: 'For a while',
        expires_at: seconds(),
      },
    },
  ]);
  const listed = await api.call(listEnvironmentWaivers, {
    params: { env_name: 'prod' },
    query: { ended: 'true' },
  });
  expect(listed.body.find(({ id }) => id === short.id)).toEqual({
    ...short,
    ended_at: seconds(),
    ended_by: 'expiry',
    end_reason: 'expired',
  });
  pass(60);
  expect(await endExpired(parts)).toBe(1);
});

it('is recorded once, however many workers run at the same time', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `shared-${i}`);
  for (const name of names) {
    await givenEnvironment(api, name);
    for (const digit of ['a', 'b', 'c']) await allow(name, digit, 60);
  }
  pass(60);
  const ended = await Promise.all([1, 2, 3, 4].map(() => endExpired(parts)));
  expect(ended.reduce((sum, count) => sum + count, 0)).toBe(30);
  for (const name of names) {
    expect((await expired(name)).map(({ subject_seq }) => subject_seq)).toEqual([5, 6, 7]);
  }
});

it('respects a renewal that comes between the read and the lock', async () => {
  await givenEnvironment(api, 'renewed');
  const { id } = await environmentOf(api, 'renewed');
  const old = await allow('renewed', 'a', 60);
  pass(60);
  const renewed = await allow('renewed', 'a', 60);
  expect(await expireWaivers({ ...systemCtx(api.db, api.org.id, 'expiry', noLog), ...parts }, id, [old.id])).toBe(0);
  expect(await expired('renewed')).toHaveLength(1);
  const listed = await api.call(listEnvironmentWaivers, { params: { env_name: 'renewed' } });
  expect(listed.body).toEqual([renewed]);
});

it('ends those of other orgs and of archived environments as well', async () => {
  const others = await api.givenOrg('others');
  await givenEnvironment(api, 'theirs', 'server', {}, others);
  await allow('theirs', 'a', 60, others);
  await givenEnvironment(api, 'archived');
  await allow('archived', 'a', 60);
  await api.call(archiveEnvironment, { params: { env_name: 'archived' } });
  pass(60);
  await endExpired(parts);
  expect(await expired('theirs', others)).toHaveLength(1);
  expect(await expired('archived')).toHaveLength(1);
});

it('is not held up by one that fails, and retries that one', async () => {
  for (const name of ['broken', 'sound']) {
    await givenEnvironment(api, name);
    await allow(name, 'a', 60);
  }
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`.execute(api.owner);
  await sql`
    create trigger refuse before update on environment for each row when (old.name = 'broken')
    execute function refuse()`.execute(api.owner);
  pass(60);
  expect(await endExpired(parts)).toBe(1);
  expect(await expired('broken')).toEqual([]);
  expect(await expired('sound')).toHaveLength(1);

  await sql`drop trigger refuse on environment`.execute(api.owner);
  expect(await endExpired(parts)).toBe(1);
  expect(await expired('broken')).toHaveLength(1);
});

it('works in batches, at intervals, until it is stopped', async () => {
  await givenEnvironment(api, 'many');
  await sql`
    insert into waiver (org_id, id, environment_id, fingerprint, artifact_name, description, created_at, created_by,
      expires_at)
    select org_id, gen_random_uuid(), id, lpad(i::text, 64, '0'), 'app', 'many', ${api.clock.now}, 'x', ${api.clock.now}
    from environment, generate_series(1, 450) as i where org_id = ${api.org.id} and name = 'many'`.execute(api.db);
  const stopping = new AbortController();
  const running = runWaiverExpiry(parts, stopping.signal, 20);
  await expect.poll(async () => (await expired('many')).length).toBe(450);
  await allow('many', 'a', 60);
  pass(60);
  await expect.poll(async () => (await expired('many')).length).toBe(451);
  stopping.abort();
  await running;
}, 600_000);
