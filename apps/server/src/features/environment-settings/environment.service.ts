import type { EnvironmentType } from '@waymark/contract';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { invalidField, notFound, unavailable } from '../../platform/errors.ts';
import { emit, type Subject } from '../../platform/journal/journal.ts';
import { isSameKind } from '../environments/environment-kind.reads.ts';
import {
  type EnvironmentRow,
  findByCurrentName,
  findEnvironment,
  listActiveMembers,
  listByName,
} from '../environments/environment-row.reads.ts';
import {
  type AttachableEnvironment,
  type AttachmentChanges,
  attachReportOnly,
  changeAttachments,
  detachReportOnly,
  keepPolicies,
  planAttaching,
  planDetaching,
  planPolicies,
  planPromoting,
} from './attachment.service.ts';
import {
  environmentArchived,
  environmentCreated,
  environmentMembersChanged,
  environmentRenamed,
  environmentTagged,
  environmentUpdated,
} from './environment.entries.ts';
import * as store from './environment.store.ts';
import { type EnvironmentChange, requireAllowed, requireFitting, requireJudged } from './environment-rules.ts';

export const MEMBERS_MAX = 1000;

const CHANGED_MEANWHILE_MAX = 5;

interface EnvironmentPut extends EnvironmentChange {
  readonly name: string;
  readonly type: EnvironmentType;
}

type ChangeOutcome = 'updated' | 'unchanged';

export async function putEnvironment(ctx: Ctx, put: EnvironmentPut): Promise<'created' | ChangeOutcome> {
  const { name, type, ...sent } = put;
  requireAllowed(ctx.actor, sent);
  requireFitting(type, sent);
  return inTransaction(ctx, async (ctx) => {
    await keepPolicies(ctx, sent.policies);
    await store.lockEnvironmentName(ctx.db, ctx.org, name);
    const known = await lockNamed(ctx, name, findByCurrentName);
    if (!known) return createEnvironment(ctx, put);
    if (!isSameKind(known.type, type)) {
      throw invalidField('type', `cannot be changed: '${name}' is of type ${known.type}, not ${type}`);
    }
    // Clients send an empty description when they mean none.
    const { description, ...change } = sent;
    return changeEnvironment(ctx, known, description ? sent : change);
  });
}

async function createEnvironment(ctx: Ctx, { name, type, ...sent }: EnvironmentPut): Promise<'created'> {
  const now = ctx.now();
  const settings = {
    description: sent.description ?? '',
    include_scaling: sent.include_scaling ?? false,
    require_provenance: sent.require_provenance ?? false,
    expected_report_interval_s: sent.expected_report_interval_s ?? null,
  };
  const members = await findMembers(ctx, sent.included_environments ?? []);
  const id = ctx.newId();
  const policies = await planPolicies(ctx, id, sent.policies);
  const environment = await store.insertEnvironment(ctx.db, {
    org_id: ctx.org,
    id,
    name,
    type,
    ...settings,
    revision: 1,
    created_at: now,
    created_by: ctx.actor.name,
    last_modified_at: now,
  });
  await store.deleteAlias(ctx.db, ctx.org, name);
  await emit(ctx, environmentCreated, subjectOf(environment), { name, type, ...settings });
  const changes = changesBetween([], members);
  if (changes) await changeMembers(ctx, environment, changes);
  await changePolicies(ctx, environment, policies);
  return 'created';
}

export async function patchEnvironment(ctx: Ctx, name: string, change: EnvironmentChange): Promise<ChangeOutcome> {
  return inTransaction(ctx, async (ctx) => {
    await keepPolicies(ctx, change.policies);
    const environment = await lockOrRefuse(ctx, name);
    requireFitting(environment.type, change);
    return changeEnvironment(ctx, environment, change);
  });
}

/** Only differences are written and recorded, so repeating a request is harmless. */
async function changeEnvironment(ctx: Ctx, environment: EnvironmentRow, change: EnvironmentChange) {
  const settings = differingSettings(environment, change);
  const members = await differingMembers(ctx, environment, change.included_environments);
  const policies = await planPolicies(ctx, environment.id, change.policies);
  let current = environment;
  if (Object.keys(settings).length > 0) {
    current = await store.updateEnvironment(ctx.db, current, { ...settings, last_modified_at: ctx.now() });
    await emit(ctx, environmentUpdated, subjectOf(current), { name: current.name, ...settings });
  }
  if (members) current = await changeMembers(ctx, current, members);
  const judged = await changePolicies(ctx, current, policies);
  return current === environment && judged === 'unchanged' ? 'unchanged' : 'updated';
}

function differingSettings(environment: EnvironmentRow, change: EnvironmentChange) {
  const { description, include_scaling, require_provenance, expected_report_interval_s } = change;
  const differs = <T>(stored: T, sent: T | undefined): sent is T => sent !== undefined && sent !== stored;
  return {
    ...(differs(environment.description, description) && { description }),
    ...(differs(environment.include_scaling, include_scaling) && { include_scaling }),
    ...(differs(environment.require_provenance, require_provenance) && { require_provenance }),
    ...(differs(environment.expected_report_interval_s, expected_report_interval_s) && { expected_report_interval_s }),
  };
}

interface MemberChanges {
  /** All members, in their order. */
  readonly wanted: readonly EnvironmentRow[];
  readonly added: readonly EnvironmentRow[];
  readonly removed: readonly EnvironmentRow[];
  readonly isReordered: boolean;
}

/** Archived members are not visible to anybody: they are left in place. */
async function differingMembers(
  ctx: Ctx,
  environment: EnvironmentRow,
  names: readonly string[] | undefined,
): Promise<MemberChanges | undefined> {
  if (!names || environment.type !== 'logical') return undefined;
  // In this order: a member that is archived in between is missing from the wanted ones, and is not added again.
  const current = await listActiveMembers(ctx.db, ctx.org, environment.id);
  const wanted = await findMembers(ctx, names);
  return changesBetween(current, wanted);
}

function changesBetween(
  current: readonly EnvironmentRow[],
  wanted: readonly EnvironmentRow[],
): MemberChanges | undefined {
  const added = missingIn(current, wanted);
  const removed = missingIn(wanted, current);
  const appended = [...missingIn(removed, current), ...added];
  const isReordered = appended.some(({ id }, i) => id !== wanted[i]?.id);
  return added.length + removed.length > 0 || isReordered ? { wanted, added, removed, isReordered } : undefined;
}

function missingIn(some: readonly EnvironmentRow[], others: readonly EnvironmentRow[]): EnvironmentRow[] {
  const ids = new Set(some.map(({ id }) => id));
  return others.filter(({ id }) => !ids.has(id));
}

/** The physical environments with these names, without duplicates. */
async function findMembers(ctx: Ctx, names: readonly string[]): Promise<EnvironmentRow[]> {
  const found = await listByName(ctx.db, ctx.org, [...new Set(names)]);
  const members = new Map<string, EnvironmentRow>();
  for (const name of names) {
    const member = found.get(name);
    if (!member) throw notFound('Environment', name);
    if (member.type === 'logical') {
      throw invalidField(
        'included_environments',
        `names '${name}', which is logical; only physical ones can be included`,
      );
    }
    members.set(member.id, member);
  }
  return [...members.values()];
}

async function changeMembers(ctx: Ctx, environment: EnvironmentRow, changes: MemberChanges): Promise<EnvironmentRow> {
  const { wanted, added, removed, isReordered } = changes;
  const order = wanted.map(({ id }) => id);
  await store.upsertMembers(ctx.db, ctx.org, environment.id, order);
  await store.deleteMembers(
    ctx.db,
    ctx.org,
    environment.id,
    removed.map(({ id }) => id),
  );
  const changed = await store.updateEnvironment(ctx.db, environment, { last_modified_at: ctx.now() });
  const references = (rows: readonly EnvironmentRow[]) => rows.map(({ id, name }) => ({ id, name }));
  const payload = {
    name: environment.name,
    added: references(added),
    removed: references(removed),
    order: isReordered ? order : null,
  };
  await emit(ctx, environmentMembersChanged, subjectOf(changed), payload);
  return changed;
}

export async function joinEnvironment(ctx: Ctx, name: string, memberName: string): Promise<'joined' | 'unchanged'> {
  return inTransaction(ctx, async (ctx) => {
    const environment = await lockOrRefuse(ctx, name);
    if (environment.type !== 'logical') {
      throw invalidField('env_name', `is of type ${environment.type}: only a logical environment can be joined`);
    }
    const current = await listActiveMembers(ctx.db, ctx.org, environment.id);
    const member = await findEnvironment(ctx.db, ctx.org, memberName);
    if (!member) throw notFound('Environment', memberName);
    if (member.type === 'logical') {
      throw invalidField('physical_env_name', 'is logical; only physical ones can be included');
    }
    if (current.some(({ id }) => id === member.id)) return 'unchanged';
    if (current.length >= MEMBERS_MAX) {
      throw invalidField(
        'env_name',
        `already includes ${current.length} environments, and the maximum is ${MEMBERS_MAX}`,
      );
    }
    await changeMembers(ctx, environment, {
      wanted: [...current, member],
      added: [member],
      removed: [],
      isReordered: false,
    });
    return 'joined';
  });
}

export async function attachPolicies(ctx: Ctx, name: string, policyNames: readonly string[]): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await keepPolicies(ctx, policyNames);
    const environment = await lockJudged(ctx, name);
    await changePolicies(ctx, environment, await planAttaching(ctx, environment.id, policyNames));
  });
}

export async function detachPolicies(ctx: Ctx, name: string, policyNames: readonly string[]): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const environment = await lockJudged(ctx, name);
    await changePolicies(ctx, environment, await planDetaching(ctx, environment.id, policyNames));
  });
}

export async function attachReportOnlyPolicies(ctx: Ctx, name: string, policyNames: readonly string[]): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await keepPolicies(ctx, policyNames);
    await attachReportOnly(ctx, counting(ctx, await lockJudged(ctx, name)), policyNames);
  });
}

export async function detachReportOnlyPolicies(ctx: Ctx, name: string, policyNames: readonly string[]): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await detachReportOnly(ctx, counting(ctx, await lockJudged(ctx, name)), policyNames);
  });
}

export async function promotePolicies(ctx: Ctx, name: string, policyNames: readonly string[]): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await keepPolicies(ctx, policyNames);
    const environment = await lockJudged(ctx, name);
    await changePolicies(ctx, environment, await planPromoting(ctx, environment.id, policyNames));
  });
}

async function lockJudged(ctx: Ctx, name: string): Promise<EnvironmentRow> {
  const environment = await lockOrRefuse(ctx, name);
  requireJudged(name, environment.type);
  return environment;
}

function changePolicies(ctx: Ctx, environment: EnvironmentRow, changes: AttachmentChanges) {
  return changeAttachments(ctx, counting(ctx, environment), changes);
}

function counting(ctx: Ctx, environment: EnvironmentRow): AttachableEnvironment {
  let current = environment;
  return {
    id: environment.id,
    name: environment.name,
    async nextRevision() {
      current = await store.updateEnvironment(ctx.db, current, { last_modified_at: ctx.now() });
      return current.revision;
    },
  };
}

/** Renaming to the current name changes nothing, so racing renames all succeed. */
export async function renameEnvironment(ctx: Ctx, name: string, newName: string): Promise<'renamed' | 'unchanged'> {
  return inTransaction(ctx, async (ctx) => {
    await store.lockEnvironmentName(ctx.db, ctx.org, newName);
    const environment = await lockOrRefuse(ctx, name);
    if (environment.name === newName) return 'unchanged';
    if (await findByCurrentName(ctx.db, ctx.org, newName)) {
      throw invalidField('new_name', `is taken: environment '${newName}' already exists`);
    }
    const renamed = await store.updateEnvironment(ctx.db, environment, { name: newName, last_modified_at: ctx.now() });
    await store.deleteAlias(ctx.db, ctx.org, newName);
    await store.upsertAlias(ctx.db, ctx.org, environment.name, environment.id);
    await emit(ctx, environmentRenamed, subjectOf(renamed), { from: environment.name, to: newName });
    return 'renamed';
  });
}

export async function archiveEnvironment(ctx: Ctx, name: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const environment = await lockOrRefuse(ctx, name);
    const now = ctx.now();
    const archived = await store.updateEnvironment(ctx.db, environment, { archived_at: now, last_modified_at: now });
    await store.deleteAliases(ctx.db, ctx.org, environment.id);
    await emit(ctx, environmentArchived, subjectOf(archived), { name: environment.name });
  });
}

/** Locks an environment for a change of its tags. `record` writes the change to the journal. */
export async function lockForTagging(ctx: Ctx, name: string) {
  const environment = await lockOrRefuse(ctx, name);
  return {
    kind: 'environment',
    id: environment.id,
    async record(changes: { set: Record<string, string>; removed: string[] }): Promise<void> {
      const tagged = await store.updateEnvironment(ctx.db, environment, { last_modified_at: ctx.now() });
      await emit(ctx, environmentTagged, subjectOf(tagged), { name: environment.name, ...changes });
    },
  };
}

async function lockOrRefuse(ctx: Ctx, name: string): Promise<EnvironmentRow> {
  const environment = await lockNamed(ctx, name, findEnvironment);
  if (!environment) throw notFound('Environment', name);
  return environment;
}

/** No other transaction changes the environment with this name until this one ends. */
async function lockNamed(ctx: Ctx, name: string, find: typeof findEnvironment): Promise<EnvironmentRow | undefined> {
  for (let attempt = 0; attempt < CHANGED_MEANWHILE_MAX; attempt++) {
    const found = await find(ctx.db, ctx.org, name);
    if (!found) return undefined;
    await store.lockEnvironment(ctx.db, ctx.org, found.id);
    const locked = await find(ctx.db, ctx.org, name);
    if (locked?.id === found.id) return locked;
  }
  throw unavailable(`Environment '${name}' is being renamed repeatedly. Try again shortly`);
}

function subjectOf(environment: EnvironmentRow): Subject {
  return { kind: 'environment', id: environment.id, seq: environment.revision };
}
