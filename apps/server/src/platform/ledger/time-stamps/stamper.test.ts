import { parseRoots, timeStampVerifier } from '@waymark/time-stamps';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { type Answer, givenAuthority } from '../../../../test/given/authority.ts';
import { givenSealedLedger } from '../../../../test/given/sealed.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import { createGuardedFetch } from '../../outbound/guarded-fetch.ts';
import { readNewestCheckpoint } from '../newest-checkpoint.ts';
import { type StamperParts, stampCheckpoints, stampIfDue } from './stamper.ts';

const api = await startApi();
const ledger = await givenSealedLedger(api.db);
const given = await givenAuthority();
const { db } = api;
const clock = { ahead: 0 };
beforeEach(() => {
  given.answers();
  clock.ahead = 0;
});

const parts: StamperParts = {
  db,
  authority: { url: given.url, roots: parseRoots(given.roots) },
  outbound: createGuardedFetch({ allowedNetworks: ['127.0.0.0/8'], timeoutMs: 5_000 }),
  now: () => new Date(Date.now() + clock.ahead),
  log: noLog,
  signal: new AbortController().signal,
};

async function sealOne() {
  await sql`
    insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
      subject_seq, actor_digest, payload_digest)
    values (${api.org.id}, gen_random_uuid(), now(), 'test.written', 1, 'system', 'test', 'test', gen_random_uuid(), 1,
      sha256(''), sha256(''))`.execute(db);
  await ledger.seal();
  const newest = await readNewestCheckpoint(db);
  if (!newest) throw new Error('no checkpoint');
  return newest;
}

async function stamps() {
  const { rows } = await sql<{ number: number; token: Buffer; authority: string; stamped_at: Date }>`
    select number, token, authority, stamped_at from time_stamp order by number`.execute(db);
  return rows;
}

/** The hour after a stamp is over. */
async function passAnHour(): Promise<void> {
  await sql`update time_stamp set stamped_at = stamped_at - interval '1 hour'`.execute(api.owner);
}

it('the newest checkpoint is stamped once an hour, if it is a new one', async () => {
  expect(await stampIfDue(parts)).toBe(false);
  const first = await sealOne();
  expect(await stampIfDue(parts)).toBe(true);
  const [stamp] = await stamps();
  expect(stamp).toMatchObject({ number: first.number, authority: 'Test authority' });
  const verify = timeStampVerifier(given.roots);
  expect(await verify(stamp?.token ?? Buffer.alloc(0), Buffer.from(first.note))).toMatchObject({
    at: stamp?.stamped_at,
  });

  const second = await sealOne();
  expect(await stampIfDue(parts)).toBe(false);
  await passAnHour();
  expect(await stampIfDue(parts)).toBe(true);
  await passAnHour();
  expect(await stampIfDue(parts)).toBe(false);
  expect((await stamps()).map(({ number }) => number)).toEqual([first.number, second.number]);
});

let replayed: Uint8Array | undefined;
const wrong: [string, string, Answer][] = [
  ['an error', 'The authority responded with status 500', (_, response) => void response.writeHead(500).end()],
  ['a redirect', 'status 302', (_, response) => void response.writeHead(302, { location: '/' }).end()],
  ['a page', 'The response is not valid: the response is not DER', (_, response) => void response.end('<html>')],
  [
    'no response',
    '127.0.0.1 cannot be reached or sent an unexpected response',
    (_, response) => void response.destroy(),
  ],
  ['a megabyte', '127.0.0.1 sent more than 65536 bytes', (_, response) => void response.end(Buffer.alloc(1 << 20))],
  [
    'a response to another request',
    'its nonce differs',
    async (request, response) => {
      replayed ??= await given.authority.reply(request, given.signer);
      response.end(replayed);
    },
  ],
  [
    'an authority that nobody trusts',
    'no configured root certificate vouches for the signer',
    async (request, response) => {
      const other = await given.authority.root('/CN=Other root');
      await given.stamp(request, response, await given.authority.issue(other));
    },
  ],
  [
    'a changed byte',
    'The response is not valid: the ',
    async (request, response) => {
      const reply = Buffer.from(await given.authority.reply(request, given.signer));
      reply[reply.length - 8] = (reply[reply.length - 8] ?? 0) ^ 1;
      response.end(reply);
    },
  ],
];

it.each(wrong)('nothing is stored after %s', async (name, problem, answer) => {
  const checkpoint = await sealOne();
  await passAnHour();
  if (name === 'a response to another request') {
    // The first one counts; its repetition does not.
    given.answers(answer);
    expect(await stampIfDue(parts)).toBe(true);
    await passAnHour();
    await sql`delete from time_stamp where number = ${checkpoint.number}`.execute(api.owner);
  }
  given.answers(answer);
  await expect(stampIfDue(parts)).rejects.toThrow(problem);
  expect((await stamps()).some(({ number }) => number === checkpoint.number)).toBe(false);
});

it('a stamp of a time that differs from the own clock is not stored', async () => {
  await sealOne();
  await passAnHour();
  clock.ahead = 10 * 60_000;
  await expect(stampIfDue(parts)).rejects.toThrow('one clock is wrong');
});

it('a failure is counted and shown, until a stamp succeeds', async () => {
  const state = async () => {
    const { rows } = await sql`select stamps, failures, error from time_stamping`.execute(db);
    return rows[0];
  };
  await sealOne();
  await passAnHour();
  given.answers((_, response) => void response.writeHead(503).end());
  const ending = new AbortController();
  const run = async (signal: AbortSignal) => stampCheckpoints({ ...parts, signal });
  const running = run(ending.signal);
  await expect.poll(state).toMatchObject({ failures: 1, error: 'The authority responded with status 503' });
  ending.abort();
  await running;

  given.answers();
  const again = new AbortController();
  const recovering = run(again.signal);
  await expect.poll(state).toMatchObject({ failures: 1, error: null });
  again.abort();
  await recovering;
});
