import { isDeepStrictEqual } from 'node:util';
import { refuse, type ScimUser, taken } from '@waymark/scim';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { notFound, Problem } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { emit } from '../../platform/journal/journal.ts';
import { setMemberships } from '../memberships/many-members.service.ts';
import { signUp } from '../memberships/sign-up.service.ts';
import { findUserByEmail } from '../users/user.reads.ts';
import { addressOf, nameOf } from './address-of.ts';
import { scimUserChanged, scimUserDeprovisioned, scimUserProvisioned } from './scim.entries.ts';
import { lockAsProvider } from './scim-lock.service.ts';
import { applyRoles, readMembers } from './scim-role.service.ts';
import * as store from './scim-user.store.ts';
import { toScimUser, type UserRow } from './scim-user.store.ts';

/** Makes the person with that address a user of the org, with a new account if they have none. */
export async function provisionUser(ctx: Ctx, user: ScimUser): Promise<UserRow> {
  const email = addressOf(user);
  if (email === undefined) {
    throw refuse('invalidValue', 'A user needs an email address, in emails or as userName');
  }
  return withoutRivals(ctx, (ctx) => provision(ctx, user, email));
}

async function provision(ctx: Ctx, user: ScimUser, email: string): Promise<UserRow> {
  await lockAsProvider(ctx);
  const account = await findUserByEmail(ctx.db, email);
  await requireFree(ctx, { userName: user.userName, ...(account && { userId: account.id }) });
  const { id: userId } = account ?? (await signUp(ctx, { email, displayName: nameOf(user) }));
  const key = { org_id: ctx.org, id: ctx.newId(), user_id: userId, at: ctx.now() };
  const row = await store.insertUser(ctx.db, key, user);
  await emit(ctx, scimUserProvisioned, subjectOf(row), { ...payloadOf(row), active: row.active });
  await applyRoles(ctx, [row.id]);
  return row;
}

const RIVALS_BORNE = 3;

/** Another org may create an account for the same person at the same time: the second search then finds it. */
async function withoutRivals<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  for (let rivals = 0; ; rivals++) {
    try {
      return await inTransaction(ctx, work);
    } catch (error) {
      const isRival = error instanceof Problem && ['email', 'login'].some((field) => error.fields?.[field]);
      if (!isRival || rivals >= RIVALS_BORNE || ctx.db.isTransaction) throw error;
    }
  }
}

/** Updates the SCIM attributes of a user; the account behind it stays the same. */
export async function changeUser(ctx: Ctx, id: string, change: (user: ScimUser) => ScimUser): Promise<UserRow> {
  return inTransaction(ctx, async (ctx) => {
    const before = await lockUser(ctx, id);
    const wanted = change(toScimUser(before));
    if (isDeepStrictEqual(wanted, toScimUser(before))) return before;
    if (wanted.userName !== before.user_name) {
      await requireFree(ctx, { userName: wanted.userName, exceptId: id });
    }
    const row = await store.updateUser(ctx.db, ctx.org, id, wanted, ctx.now());
    await emit(ctx, scimUserChanged, subjectOf(row), { ...payloadOf(row), active: row.active });
    if (row.active !== before.active) await applyRoles(ctx, [id]);
    return row;
  });
}

/** Ends the membership. The account belongs to the person, and stays. */
export async function deprovisionUser(ctx: Ctx, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const row = await lockUser(ctx, id);
    const members = await readMembers(ctx, [id]);
    const wanted = members.map(({ account }) => ({ user: account, role: null }));
    await setMemberships(ctx, wanted, 'scim');
    await store.deleteUser(ctx.db, ctx.org, id);
    await emit(ctx, scimUserDeprovisioned, { ...subjectOf(row), seq: row.revision + 1 }, payloadOf(row));
  });
}

export async function readUserRow(ctx: Ctx, id: string): Promise<UserRow> {
  const row = isId(id) ? await store.findUser(ctx.db, ctx.org, id) : undefined;
  if (!row) throw notFound('User', id);
  return row;
}

async function lockUser(ctx: Ctx, id: string): Promise<UserRow> {
  await lockAsProvider(ctx);
  return readUserRow(ctx, id);
}

async function requireFree(ctx: Ctx, wanted: Parameters<typeof store.findRival>[2]): Promise<void> {
  const rival = await store.findRival(ctx.db, ctx.org, wanted);
  if (rival) throw taken(`User '${rival.user_name}' already has this name or email address`);
}

function subjectOf(row: UserRow) {
  return { kind: 'scim_user', id: row.id, seq: row.revision };
}

function payloadOf(row: UserRow) {
  return { user_id: row.user_id, user_name: row.user_name };
}
