import type { Role } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { invalid, Problem } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import { createKey, requireNoExpiry } from '../api-keys/api-key.service.ts';
import { revokeScimKey } from '../api-keys/org-key.service.ts';
import { lockMaker } from '../memberships/maker.service.ts';
import { lockMembers } from '../memberships/membership.service.ts';
import { requireShared } from '../orgs/org.reads.ts';
import { ensureServiceAccount } from '../service-accounts/service-account.service.ts';
import { scimDefaultRoleChanged, scimKeyReplaced, scimTurnedOff, scimTurnedOn } from './scim.entries.ts';
import { mapGroup } from './scim-group.service.ts';
import type { MappedRow } from './scim-group.store.ts';
import { applyRoles } from './scim-role.service.ts';
import * as store from './scim-setup.store.ts';
import { listUserIds } from './scim-user.store.ts';

const ACCOUNT = 'scim';

/** Makes a key for the identity provider of the org, replacing the one it had. The role stays unless one is given. */
export async function turnOn(
  ctx: Ctx,
  regionLetter: string,
  defaultRole?: Role | null,
): Promise<{ id: string; text: string }> {
  requireNoExpiry(ctx, 'The SCIM key');
  await requireShared(
    ctx,
    'SCIM is only available in shared orgs: a personal org has one member, who is always its admin',
  );
  return inTransaction(ctx, async (ctx) => {
    await lockMaker(ctx, 'manage_org');
    const before = await store.findSetup(ctx.db, ctx.org);
    if (before?.key_id) await revokeScimKey(ctx, before.key_id);
    const account = await accountFor(ctx, before?.service_account_id ?? null);
    const owner = { kind: 'service_account', ...account } as const;
    const key = await createKey(ctx, { owner, description: 'SCIM', expiresAt: null, regionLetter, purpose: 'scim' });
    const { revision } = await store.upsertSetup(ctx.db, ctx.org, {
      service_account_id: account.id,
      key_id: key.id,
      enabled_at: before?.enabled_at ?? ctx.now(),
    });
    await emit(ctx, before?.enabled_at ? scimKeyReplaced : scimTurnedOn, subjectOf(ctx, revision), { key_id: key.id });
    if (defaultRole !== undefined) await chooseDefaultRole(ctx, defaultRole);
    return key;
  });
}

/**
 * The account must not belong to anybody: whoever made a service account manages its keys, and a key of this one grants
 * roles. So an existing account of that name is never used, and the service is its maker.
 */
async function accountFor(ctx: Ctx, id: string | null): Promise<{ id: string; name: string }> {
  const known = id === null ? undefined : await store.findAccount(ctx.db, ctx.org, id);
  if (known) return known;
  const names = await store.listAccountNames(ctx.db, ctx.org, ACCOUNT);
  let name = ACCOUNT;
  for (let number = 2; names.has(name); number++) name = `${ACCOUNT}-${number}`;
  const actor = { kind: 'system', id: null, name: ACCOUNT } as const;
  const made = await ensureServiceAccount({ ...ctx, actor, credential: null }, { name, privilege: 'reader' });
  return { id: made.id, name };
}

/** Members are not changed. */
export async function turnOff(ctx: Ctx): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockMembers(ctx);
    const before = await store.findSetup(ctx.db, ctx.org);
    if (!before?.enabled_at) throw new Problem('not_found', 'SCIM is turned off for this org');
    if (before.key_id) await revokeScimKey(ctx, before.key_id);
    const { revision } = await store.upsertSetup(ctx.db, ctx.org, { key_id: null, enabled_at: null });
    await emit(ctx, scimTurnedOff, subjectOf(ctx, revision), {});
  });
}

export async function chooseDefaultRole(ctx: Ctx, role: Role | null): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const before = await lockOn(ctx);
    if (before.default_role === role) return;
    const { revision } = await store.upsertSetup(ctx.db, ctx.org, { default_role: role });
    const payload = { role, previous_role: before.default_role };
    await emit(ctx, scimDefaultRoleChanged, subjectOf(ctx, revision), payload);
    await applyRoles(ctx, await listUserIds(ctx.db, ctx.org));
  });
}

/** While SCIM is off, members stay as they are, so there is nothing to choose. */
export async function chooseGroupRole(ctx: Ctx, id: string, role: Role | null): Promise<MappedRow> {
  return inTransaction(ctx, async (ctx) => {
    await lockOn(ctx);
    return mapGroup(ctx, id, role);
  });
}

async function lockOn(ctx: Ctx): Promise<store.SetupRow> {
  await lockMembers(ctx);
  const setup = await store.findSetup(ctx.db, ctx.org);
  if (!setup?.enabled_at) throw invalid('SCIM is turned off for this org: turn it on first');
  return setup;
}

function subjectOf(ctx: Ctx, revision: number) {
  return { kind: 'scim', id: ctx.org, seq: revision };
}
