import { type Role, SCIM_GROUPS_MAX } from '@waymark/contract';
import { type GroupChange, type MembersChange, membersChange, refuse, type ScimGroup, taken } from '@waymark/scim';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { chunksOf } from '../../platform/db/chunks.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { emit } from '../../platform/journal/journal.ts';
import { lockMembers } from '../memberships/membership.service.ts';
import { scimGroupChanged, scimGroupCreated, scimGroupDeleted, scimGroupMapped } from './scim.entries.ts';
import type { GroupRow } from './scim-group.store.ts';
import * as store from './scim-group.store.ts';
import { lockAsProvider } from './scim-lock.service.ts';
import { applyRoles } from './scim-role.service.ts';
import { listKnownIds } from './scim-user.store.ts';

/** A group is read as a whole. */
export const MEMBERS_MAX = 50_000;

export async function createGroup(ctx: Ctx, group: ScimGroup): Promise<GroupRow> {
  return inTransaction(ctx, async (ctx) => {
    await lockAsProvider(ctx);
    const id = ctx.newId();
    await requireFreeName(ctx, group.displayName, id);
    if ((await store.countGroups(ctx.db, ctx.org)) >= SCIM_GROUPS_MAX) {
      throw refuse('invalidValue', `An org can have at most ${SCIM_GROUPS_MAX} groups. Provision fewer groups`);
    }
    const row = await store.insertGroup(ctx.db, {
      org_id: ctx.org,
      id,
      display_name: group.displayName,
      external_id: group.externalId,
      at: ctx.now(),
    });
    const { added } = await changeMembers(ctx, row, wholly(group.memberIds));
    await emit(ctx, scimGroupCreated, subjectOf(row), { display_name: row.display_name, members: added.length });
    return row;
  });
}

export async function replaceGroup(ctx: Ctx, id: string, group: ScimGroup): Promise<GroupRow> {
  return changeGroup(ctx, id, group, wholly(group.memberIds));
}

export async function patchGroup(ctx: Ctx, id: string, changes: readonly GroupChange[]): Promise<void> {
  const wanted: Partial<ScimGroup> = {};
  for (const { kind, ...change } of changes) if (kind !== 'members') Object.assign(wanted, change);
  await changeGroup(ctx, id, wanted, membersChange(changes));
}

async function changeGroup(
  ctx: Ctx,
  id: string,
  wanted: Partial<Pick<ScimGroup, 'displayName' | 'externalId'>>,
  members: MembersChange,
): Promise<GroupRow> {
  return inTransaction(ctx, async (ctx) => {
    await lockAsProvider(ctx);
    const before = await lockGroup(ctx, id);
    const { displayName = before.display_name, externalId = before.external_id } = wanted;
    if (displayName !== before.display_name) await requireFreeName(ctx, displayName, id);
    const { added, removed } = await changeMembers(ctx, before, members);
    const isRenamed = displayName !== before.display_name || externalId !== before.external_id;
    if (!isRenamed && added.length + removed.length === 0) return before;
    const change = { display_name: displayName, external_id: externalId, last_modified_at: ctx.now() };
    const row = await store.updateGroup(ctx.db, ctx.org, id, change);
    const payload = { display_name: displayName, added: added.length, removed: removed.length };
    await emit(ctx, scimGroupChanged, subjectOf(row), payload);
    return row;
  });
}

export async function deleteGroup(ctx: Ctx, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockAsProvider(ctx);
    const group = await lockGroup(ctx, id);
    // The database would delete its members with it, all of them in one statement.
    const members = await deleteInChunks(ctx, group, await store.listMemberIds(ctx.db, ctx.org, id));
    await store.deleteGroup(ctx.db, ctx.org, id);
    await emit(ctx, scimGroupDeleted, { ...subjectOf(group), seq: group.revision + 1 }, payloadOf(group));
    if (group.role !== null) await applyRoles(ctx, members);
  });
}

/** Sets the role that members of a group have from now on. */
export async function mapGroup(ctx: Ctx, id: string, role: Role | null): Promise<store.MappedRow> {
  return inTransaction(ctx, async (ctx) => {
    const before = await lockGroup(ctx, id);
    if (before.role !== role) {
      const row = await store.updateGroup(ctx.db, ctx.org, id, { role, last_modified_at: ctx.now() });
      const payload = { ...payloadOf(row), role, previous_role: before.role };
      await emit(ctx, scimGroupMapped, subjectOf(row), payload);
      await applyRoles(ctx, await store.listMemberIds(ctx.db, ctx.org, id));
    }
    const [mapped] = await store.listMappedGroups(ctx.db, ctx.org, id);
    if (!mapped) throw notFound('Group', id);
    return mapped;
  });
}

export async function readGroupRow(ctx: Ctx, id: string): Promise<GroupRow> {
  const row = isId(id) ? await store.findGroup(ctx.db, ctx.org, id) : undefined;
  if (!row) throw notFound('Group', id);
  return row;
}

async function lockGroup(ctx: Ctx, id: string): Promise<GroupRow> {
  await lockMembers(ctx);
  const row = isId(id) ? await store.lockGroup(ctx.db, ctx.org, id) : undefined;
  if (!row) throw notFound('Group', id);
  return row;
}

async function changeMembers(
  ctx: Ctx,
  group: GroupRow,
  change: MembersChange,
): Promise<{ added: string[]; removed: string[] }> {
  const wanted = [...change.added];
  await requireUsers(ctx, wanted);
  const removed = await removeMembers(ctx, group, change);
  const added: string[] = [];
  for (const ids of chunksOf(wanted)) added.push(...(await store.insertMembers(ctx.db, ctx.org, group.id, ids)));
  if (added.length > 0) await requireRoom(ctx, group);
  if (group.role !== null) await applyRoles(ctx, [...added, ...removed]);
  return { added, removed };
}

async function removeMembers(ctx: Ctx, group: GroupRow, { keepsOthers, added, removed }: MembersChange) {
  const unwanted = keepsOthers
    ? [...removed].filter(isId)
    : (await store.listMemberIds(ctx.db, ctx.org, group.id)).filter((id) => !added.has(id));
  return deleteInChunks(ctx, group, unwanted);
}

async function deleteInChunks(ctx: Ctx, group: GroupRow, unwanted: readonly string[]): Promise<string[]> {
  const deleted: string[] = [];
  for (const ids of chunksOf(unwanted)) deleted.push(...(await store.deleteMembers(ctx.db, ctx.org, group.id, ids)));
  return deleted;
}

async function requireUsers(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const known = await listKnownIds(ctx.db, ctx.org, ids.filter(isId));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return;
  throw refuse('invalidValue', `User '${unknown.slice(0, 100)}' does not exist; nested groups are not supported`);
}

async function requireRoom(ctx: Ctx, group: GroupRow): Promise<void> {
  const count = (await store.countMembers(ctx.db, ctx.org, [group.id])).get(group.id) ?? 0;
  if (count > MEMBERS_MAX) throw refuse('invalidValue', `A group can have at most ${MEMBERS_MAX} members`);
}

async function requireFreeName(ctx: Ctx, displayName: string, exceptId: string): Promise<void> {
  if (await store.isNameTaken(ctx.db, ctx.org, displayName, exceptId)) {
    throw taken(`Group '${displayName}' already exists`);
  }
}

function wholly(memberIds: readonly string[]): MembersChange {
  return membersChange([{ kind: 'members', how: 'replace', ids: [...memberIds] }]);
}

function subjectOf(row: GroupRow) {
  return { kind: 'scim_group', id: row.id, seq: row.revision };
}

function payloadOf(row: GroupRow) {
  return { display_name: row.display_name };
}
