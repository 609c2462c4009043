import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isFull } from '../../../../../../tools/test-size.ts';
import { givenStreams, type TestStream } from '../../../../test/given/event-streams.ts';
import { givenPerson, givenSession } from '../../../../test/given/people.ts';
import { givenSecondServer } from '../../../../test/given/servers.ts';
import { startApi, type TestOrg } from '../../../../test/harness.ts';
import { sequenceAll } from '../../../platform/journal/pass.ts';
import { BATCH } from './feed.store.ts';
import { createListeners } from './listeners.ts';

const [FEW, MANY] = isFull ? [20, 2_000] : [10, 200];
const PER_CREDENTIAL = 5;
/** Entries of each wake-up. More than one read, and more than the cache of a tail, are among them. */
const BURSTS = [1, 40, 600, 3, 40];

const api = await startApi({ streamLimits: { perCredential: PER_CREDENTIAL, perOrg: 2 * MANY, perServer: 2 * MANY } });
const queries: string[] = [];
const listeners = createListeners();
const app = givenSecondServer(api, (text) => queries.push(text), listeners);
const open = await givenStreams(app);

async function addEntries(org: TestOrg, count: number, type = 'flow.updated'): Promise<void> {
  await sql`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, actor_digest, payload_digest)
    select ${org.id}, gen_random_uuid(), now(), ${type}, 1, 'system', 'x', 'flow', gen_random_uuid(), 1,
      sha256(''), sha256('')
    from generate_series(1, ${count}::int)`.execute(api.db);
  await sequenceAll(api.db);
}

async function headOf(org: TestOrg): Promise<string> {
  const { size } = await api.db
    .selectFrom('ledger_head')
    .select('size')
    .where('org_id', '=', org.id)
    .executeTakeFirstOrThrow();
  return `0.${size - 1}`;
}

type Credential = { readonly key: string } | { readonly cookie: string };

/** Half of them keys and half sessions. */
async function givenCredentials(org: TestOrg, count: number): Promise<Credential[]> {
  const credentials: Credential[] = [];
  for (let i = 0; i < count; i++) {
    const person = await givenPerson(api, { org, role: 'reader' });
    credentials.push(i % 2 === 0 ? { key: person.key } : { cookie: (await givenSession(api, person)).cookie });
  }
  return credentials;
}

async function openStreams(org: TestOrg, credentials: readonly Credential[], after?: string): Promise<TestStream[]> {
  const each = credentials.flatMap((credential) => Array.from({ length: PER_CREDENTIAL }, () => credential));
  const streams: TestStream[] = [];
  // No more at a time than a server accepts connections at once.
  for (let i = 0; i < each.length; i += 100) {
    const some = each.slice(i, i + 100);
    streams.push(
      ...(await Promise.all(
        some.map((credential) => open({ org, ...credential, ...(after !== undefined && { after }) })),
      )),
    );
  }
  expect(streams.map(({ response }) => response.status).filter((status) => status !== 200)).toEqual([]);
  return streams;
}

async function readUntil(streams: readonly TestStream[], id: string): Promise<void> {
  await Promise.all(
    streams.map(async ({ next }) => {
      for (let last: string | undefined; last !== id; ) {
        const event = await next();
        if (!event) throw new Error(`the stream ended after ${last}`);
        last = event.id;
      }
    }),
  );
}

/** Returns the server's statements during `work`, and how many seconds it took, for what timers may have caused. */
async function statementsOf(work: () => Promise<void>): Promise<{ texts: string[]; seconds: number }> {
  const [before, begunAt] = [queries.length, performance.now()];
  await work();
  return { texts: queries.slice(before), seconds: (performance.now() - begunAt) / 1_000 };
}

it.each([FEW, MANY])('makes as many statements for %i event streams of an org as for one', async (count) => {
  const org = await api.givenOrg(`busy-${count}`);
  await sequenceAll(api.db);
  const streams = await openStreams(org, await givenCredentials(org, count / PER_CREDENTIAL));
  await app.credentialUse.flush();
  const { texts, seconds } = await statementsOf(async () => {
    for (const entries of BURSTS) {
      // Readers are not sent it, but may have lost access by it.
      await addEntries(org, 1, 'membership.role_changed');
      await addEntries(org, entries);
      listeners.wake([org.id]);
      await readUntil(streams, await headOf(org));
    }
  });
  // For each wake-up, a read, a check by key, and one by session. The large burst takes another read.
  const expected = 3 * BURSTS.length + 1;
  expect(texts.length).toBeGreaterThanOrEqual(expected);
  // Every 10 seconds both checks, and every 15 seconds a read.
  expect(texts.length).toBeLessThanOrEqual(expected + PAGES_BEHIND + 3 * Math.ceil(seconds / 10));
});

/** Pages of the large burst, which listeners share whose sockets were full meanwhile. */
const PAGES_BEHIND = 3;

it.each([FEW, MANY])('shares the reads of %i event streams that continue from an earlier event', async (count) => {
  const org = await api.givenOrg(`behind-${count}`);
  const credentials = await givenCredentials(org, count / PER_CREDENTIAL);
  await addEntries(org, 1_100);
  const head = await headOf(org);
  const { texts, seconds } = await statementsOf(async () => {
    await readUntil(await openStreams(org, credentials, '0'), head);
  });
  // Each page, and one read at the end; again if the machine is so slow that they are dropped meanwhile.
  const reads = texts.filter((text) => text.includes('from ledger join journal')).length;
  const pages = Math.ceil(Number(head.split('.')[1]) / BATCH) + 2;
  expect(reads).toBeLessThanOrEqual(pages * Math.ceil(1 + seconds / 15));
});
