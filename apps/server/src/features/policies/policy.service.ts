import { hash } from 'node:crypto';
import type { Policy } from '@waymark/policy';
import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { conflict, invalidField, notFound } from '../../platform/errors.ts';
import { emit, type Subject } from '../../platform/journal/journal.ts';
import { policyArchived, policyCreated, policyUpdated, policyVersioned } from './policy.entries.ts';
import type { PolicyRow } from './policy.store.ts';
import * as store from './policy.store.ts';
import { recordEvents } from './policy-history.service.ts';
import { controlsOf, readsOf, requireControls, requireValid } from './policy-text.service.ts';

/** They are all shown together. */
export const VERSIONS_MAX = 1_000;

/** How many environments are named that prevent a policy from being archived. */
const NAMED_MAX = 10;

export interface PolicyPut {
  readonly name: string;
  readonly policy_yaml: string;
  /** Absent leaves it unchanged. */
  readonly description?: string;
  readonly comment?: string;
}

interface Draft extends PolicyPut {
  readonly policy: Policy;
}

/** A text equal to the latest version makes no new one, so repeating a request is harmless. */
export function putPolicy(ctx: Ctx, put: PolicyPut): Promise<'created' | 'updated' | 'unchanged'> {
  const draft = { ...put, policy: requireValid(put.policy_yaml) };
  return inTransaction(ctx, async (ctx) => {
    await store.lockPolicyName(ctx.db, ctx.org, put.name);
    const known = await store.findActive(ctx.db, ctx.org, put.name);
    return known ? changePolicy(ctx, known, draft) : createPolicy(ctx, draft);
  });
}

async function createPolicy(ctx: Ctx, draft: Draft): Promise<'created'> {
  await requireControls(ctx, draft.policy);
  const { name, description = '' } = draft;
  const now = ctx.now();
  const created = await store.insertPolicy(ctx.db, {
    org_id: ctx.org,
    id: ctx.newId(),
    name,
    description,
    version: 0,
    revision: 1,
    created_at: now,
    created_by: ctx.actor.name,
    last_modified_at: now,
    archived_at: null,
  });
  await emit(ctx, policyCreated, subjectOf(created), { name, description });
  await addVersion(ctx, created, draft);
  await recordEvents(ctx, [{ policyId: created.id, type: 'policy_created', data: { version: 1 } }]);
  return 'created';
}

async function changePolicy(ctx: Ctx, known: PolicyRow, draft: Draft): Promise<'updated' | 'unchanged'> {
  const latest = await store.findVersion(ctx.db, ctx.org, known.id, known.version);
  const isNewText = latest?.policy_yaml !== draft.policy_yaml;
  // A text that is already stored is not checked again: its controls may have been archived since.
  if (isNewText) await requireNextVersion(ctx, known, draft);
  const described = await describe(ctx, known, draft.description);
  const changed = isNewText ? await addVersion(ctx, described, draft) : described;
  const { id: policyId, description, version } = changed;
  await recordEvents(ctx, [
    ...(described === known ? [] : [{ policyId, type: 'policy_updated' as const, data: { description } }]),
    ...(isNewText ? [{ policyId, type: 'policy_version_created' as const, data: { version } }] : []),
  ]);
  return changed === known ? 'unchanged' : 'updated';
}

async function requireNextVersion(ctx: Ctx, { version }: PolicyRow, { policy }: Draft): Promise<void> {
  if (version >= VERSIONS_MAX) {
    throw invalidField('name', `already has ${VERSIONS_MAX} versions, which is the maximum; use another policy name`);
  }
  await requireControls(ctx, policy);
}

async function describe(ctx: Ctx, known: PolicyRow, description: string | undefined): Promise<PolicyRow> {
  if (description === undefined || description === known.description) return known;
  const described = await store.updatePolicy(ctx.db, known, { description, last_modified_at: ctx.now() });
  await emit(ctx, policyUpdated, subjectOf(described), { name: known.name, description });
  return described;
}

async function addVersion(ctx: Ctx, known: PolicyRow, draft: Draft): Promise<PolicyRow> {
  const { policy_yaml, policy, comment = '' } = draft;
  const now = ctx.now();
  const version = known.version + 1;
  const versioned = await store.updatePolicy(ctx.db, known, { version, last_modified_at: now });
  await store.insertVersion(ctx.db, {
    org_id: ctx.org,
    policy_id: known.id,
    version,
    policy_yaml,
    comment,
    controls: controlsOf(policy),
    reads: readsOf(policy),
    created_at: now,
    created_by: ctx.actor.name,
  });
  const policy_sha256 = hash('sha256', policy_yaml);
  const payload = { name: known.name, version, comment, policy_sha256, policy_yaml };
  await emit(ctx, policyVersioned, subjectOf(versioned), payload);
  return versioned;
}

/** Archiving an archived policy changes nothing, so repeating a request is harmless. */
export function archivePolicy(ctx: Ctx, name: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    await store.lockPolicyName(ctx.db, ctx.org, name);
    const policy = await store.findLatest(ctx.db, ctx.org, name);
    if (!policy) throw notFound('Policy', name);
    if (policy.archived_at) return;
    requireUnused(name, await store.listConsuming(ctx.db, ctx.org, policy.id));
    const now = ctx.now();
    const archived = await store.updatePolicy(ctx.db, policy, { archived_at: now, last_modified_at: now });
    await emit(ctx, policyArchived, subjectOf(archived), { name });
    await recordEvents(ctx, [{ policyId: policy.id, type: 'policy_archived', data: { version: policy.version } }]);
  });
}

function requireUnused(name: string, consuming: readonly { readonly name: string }[]): void {
  if (consuming.length === 0) return;
  const named = consuming.slice(0, NAMED_MAX).map((environment) => `'${environment.name}'`);
  const rest = consuming.length > NAMED_MAX ? ` and ${consuming.length - NAMED_MAX} more` : '';
  throw conflict(`Policy '${name}' is attached to ${named.join(', ')}${rest}: detach it before you archive it`);
}

function subjectOf(policy: PolicyRow): Subject {
  return { kind: 'policy', id: policy.id, seq: policy.revision };
}
