import { putNotificationConfig } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isFull } from '../../../../../../tools/test-size.ts';
import { keyMessages } from '../../../../test/given/expiring-keys.ts';
import { givenPerson, type Person } from '../../../../test/given/people.ts';
import { noLog, startApi, type TestOrg } from '../../../../test/harness.ts';
import { createKeyExpiryModel, type ModelKey } from '../../../../test/model/key-expiry-model.ts';
import { createRandom } from '../../../../test/model/random.ts';
import { type Ctx, systemCtx } from '../../../platform/ctx.ts';
import { type Db, openDb } from '../../../platform/db/db.ts';
import { createKey, type KeyHolder, revokeKey } from '../../api-keys/api-key.service.ts';
import { inRotation, rotateKey } from '../../api-keys/rotation.service.ts';
import { ensureServiceAccount } from '../../service-accounts/service-account.service.ts';
import { keyExpirySearch } from './key-expiry.ts';

const KEYS = isFull ? 1000 : 250;
/** Created before the first day; the others are created day by day. */
const KEYS_AT_FIRST = isFull ? 700 : 175;
const DAYS = 60;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** In days; null means no expiry. */
const LIVES = [0.1, 0.9, 1, 2, 3, 5, 7, 7.01, 10, 14, 20, 30, 31, 45, 60, 75, 90, 120, null];

const SEED = Number(process.env['WAYMARK_MODEL_SEED'] ?? 20_261_115);
const start = new Date('2026-06-01T00:00:00Z').getTime();

const api = await startApi();
const random = createRandom(SEED);
const model = createKeyExpiryModel();
const counts = { keys: 0, revoked: 0, rotated: 0, searches: 0, restarts: 0, interrupted: 0, outages: 0, jumps: 0 };
let clock = start;

/** An owner of keys, and the recipients of messages about them. */
interface Holder {
  /** The org that manages the keys and has the messages about them. */
  readonly home: string;
  readonly org: string;
  readonly as: KeyHolder;
  readonly to: readonly string[];
}

interface HeldKey extends ModelKey {
  readonly holder: Holder;
}

const unended: HeldKey[] = [];

async function givenHolders(): Promise<Holder[]> {
  const [derived, configured, mute] = [api.org, await api.givenOrg('configured'), await api.givenOrg('mute')];
  const admins = [
    await givenPerson(api, { org: derived, role: 'admin' }),
    await givenPerson(api, { org: derived, role: 'admin' }),
  ];
  const creator = await givenPerson(api, { org: derived });
  const [ops, toAdmins] = [['ops@example.org', 'security@example.org'], admins.map(({ email }) => email)];
  await api.call(putNotificationConfig, {
    params: { org: configured.name, notification_type: 'api_key_expiry' },
    key: configured.keys.admin,
    body: { targets: [{ type: 'EMAIL', emails: ops }] },
  });
  const people: Holder[] = [];
  for (let i = 0; i < 10; i++) {
    const person = await givenPerson(api, { org: derived });
    people.push(own(person, null, [person.email]), own(person, derived.id, [person.email]));
    people.push(own(await givenPerson(api, { org: configured }), configured.id, ops));
  }
  const unreachable = await givenPerson(api);
  await api.db.updateTable('user_account').set({ email: null }).where('id', '=', unreachable.id).execute();
  return [
    await account(derived, 'by-nobody', toAdmins),
    await account(derived, 'by-creator', [...toAdmins, creator.email], creator),
    await account(derived, 'by-admin', toAdmins, admins[0]),
    await account(configured, 'configured', ops),
    await account(mute, 'mute', []),
    ...people,
    own(unreachable, null, []),
  ];
}

async function account(org: TestOrg, name: string, to: readonly string[], creator?: Person): Promise<Holder> {
  const actor = creator && ({ kind: 'user', id: creator.id, name: creator.login, role: 'admin' } as const);
  const ctx = { ...systemCtx(api.db, org.id, 'tests', noLog), ...(actor && { actor }) };
  const { id } = await ensureServiceAccount(ctx, { name, privilege: 'member' });
  const as = { kind: 'service_account' as const, id, name, onlyOrg: null };
  return { home: org.id, org: org.id, as, to: to.toSorted() };
}

function own({ id, login, personalOrg }: Person, onlyOrg: string | null, to: readonly string[]): Holder {
  const as = { kind: 'user' as const, id, name: login, onlyOrg };
  return { home: personalOrg, org: onlyOrg ?? personalOrg, as, to };
}

const ctxOf = ({ home }: Holder, at: number): Ctx => ({
  ...systemCtx(api.db, home, 'tests', noLog),
  now: () => new Date(at),
});

function know(holder: Holder, key: Pick<ModelKey, 'id' | 'createdAt' | 'expiresAt' | 'isOfJob'>): void {
  const known = { ...key, holder, org: holder.org, to: holder.to };
  model.add(known);
  unended.push(known);
}

async function makeKey(holder: Holder, createdAt: number): Promise<void> {
  const life = random.pick(LIVES);
  const expiresAt = life === null ? null : createdAt + life * DAY;
  const isOfJob = random.chance(0.05);
  const { id } = await createKey(ctxOf(holder, createdAt), {
    owner: holder.as,
    description: `key ${++counts.keys}`,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    regionLetter: 'e',
    onlyOrg: holder.as.onlyOrg,
    ...(isOfJob && { workload: '{}' }),
  });
  know(holder, { id, createdAt, expiresAt, isOfJob });
}

/** Revokes a key, or replaces it with one that expires at the same time. */
async function endSomeKey(): Promise<void> {
  const [key] = unended.splice(random.below(unended.length), 1);
  if (!key || key.isOfJob || (key.expiresAt !== null && key.expiresAt <= clock)) return;
  const { holder, id, expiresAt } = key;
  const ctx = ctxOf(holder, clock);
  model.end(id);
  if (random.chance(0.5)) {
    counts.revoked++;
    return revokeKey(ctx, holder.as, id);
  }
  counts.rotated++;
  const rotation = {
    graceHours: random.between(1, 720),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    regionLetter: 'e',
  };
  const successor = await inRotation(ctx, id, (ctx) => rotateKey(ctx, holder.as, id, rotation));
  know(holder, { id: successor.id, createdAt: clock, expiresAt, isOfJob: false });
}

/** Stands for a process: with a connection and a memory of its own. */
interface Scheduler {
  readonly db: Db;
  readonly pid: number;
  search(): Promise<number>;
}

let schedulers: readonly Scheduler[] = [];

async function startScheduler(): Promise<Scheduler> {
  const db = openDb({ url: api.url, poolSize: 1, statementTimeoutMs: 30_000 }, noLog);
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return { db, pid: rows[0]?.pid ?? 0, search: keyExpirySearch({ db, log: noLog, now: () => new Date(clock) }) };
}

async function stopSchedulers(): Promise<void> {
  for (const { db } of schedulers) await db.destroy();
}

async function restartSchedulers(): Promise<void> {
  counts.restarts++;
  await stopSchedulers();
  schedulers = [await startScheduler(), await startScheduler()];
}

async function searchTogether(): Promise<void> {
  model.check(clock);
  counts.searches += schedulers.length;
  await Promise.all(schedulers.map(({ search }) => search()));
}

/** One after another, each with a clock behind that of the one before. */
async function searchInTurn(): Promise<void> {
  for (const { search } of schedulers) {
    model.check(clock);
    counts.searches++;
    await search();
    clock -= random.between(1, 300) * 1000;
  }
}

/** One of them dies in the middle of its work; the next ones find what it left. */
async function searchInterrupted(): Promise<void> {
  const searching = schedulers.map(({ search }) => search().catch(() => counts.interrupted++));
  await sql`select pg_sleep(${random.between(0, 15) / 1000})`.execute(api.db);
  await sql`select pg_terminate_backend(${schedulers[0]?.pid})`.execute(api.db);
  await Promise.all(searching);
  await restartSchedulers();
  await searchTogether();
}

async function search(): Promise<void> {
  if (random.chance(0.06)) await restartSchedulers();
  const how = random.weighted({ together: 14, apart: 4, interrupted: 2 });
  await { together: searchTogether, apart: searchInTurn, interrupted: searchInterrupted }[how]();
}

/** Hours, or days in which nothing runs. */
function timeUntilNext(): number {
  if (random.chance(0.97)) return random.between(1, 30) * 0.2 * HOUR;
  counts.outages++;
  return random.between(24, 120) * HOUR;
}

/** Now and then the clock is days ahead or behind for a while. */
function nextSkew(skew: number): number {
  if (!random.chance(skew === 0 ? 0.05 : 0.4)) return skew;
  counts.jumps++;
  return skew === 0 ? random.between(-100, 100) * HOUR : 0;
}

it(`sends the messages of a plain model for ${KEYS} keys over ${DAYS} days, whatever happens to the schedulers`, async () => {
  const holders = await givenHolders();
  while (counts.keys < KEYS_AT_FIRST) await makeKey(random.pick(holders), start - random.between(0, 80 * 24) * HOUR);
  await restartSchedulers();
  let skew = 0;
  for (let at = start; at <= start + DAYS * DAY; at += timeUntilNext()) {
    clock = at + skew;
    const share = (at - start) / (DAYS * DAY);
    const made = KEYS_AT_FIRST + Math.ceil(Math.min(1, share * 1.1) * (KEYS - KEYS_AT_FIRST));
    while (counts.keys < made) await makeKey(random.pick(holders), clock - random.between(0, 500) * 1000);
    while (random.chance(0.5)) await endSomeKey();
    await search();
    skew = nextSkew(skew);
  }
  await stopSchedulers();

  const messages = await keyMessages(api.db);
  const recorded = messages.map(({ org_id, key, step, days_left, to }) => ({ org_id, key, step, days_left, to }));
  expect(inOrder(recorded), `seed ${SEED}`).toEqual(inOrder(model.messages));
  expect(new Set(recorded.map(({ key, step }) => `${key} ${step}`)).size).toBe(recorded.length);
  for (const ofOrg of Map.groupBy(messages, ({ org_id }) => org_id).values()) {
    expect(ofOrg.map(({ sequence }) => sequence)).toEqual(ofOrg.map((_, i) => i + 1));
  }
  expect(counts.keys).toBe(KEYS);
  const happened = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  console.log(`key expiry: ${recorded.length} messages as expected; ${happened.join(', ')}`);
}, 300_000);

function inOrder<Message extends { key: string; step: number | null }>(messages: readonly Message[]): Message[] {
  return messages.toSorted((a, b) => a.key.localeCompare(b.key) || Number(b.step) - Number(a.step));
}
