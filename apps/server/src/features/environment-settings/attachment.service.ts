import { POLICIES_PER_ENVIRONMENT, REPORT_ONLY_PER_ENVIRONMENT } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import { type HistoryEvent, recordEvents } from '../policies/policy-history.service.ts';
import { reevaluateAfterCommit } from '../runtime-verdicts/reevaluation/queued-reevaluation.service.ts';
import {
  policyAttached,
  policyDetached,
  policyPromoted,
  reportOnlyAttached,
  reportOnlyDetached,
} from './attachment.entries.ts';
import type { AttachablePolicy } from './attachment.store.ts';
import * as store from './attachment.store.ts';

const ENFORCED = 'environment_policy';
const REPORT_ONLY = 'report_only_policy';

/** All of these entries have the same payload. */
type ChangeEntry = typeof policyAttached;

export interface AttachmentChanges {
  readonly attached: readonly AttachablePolicy[];
  readonly detached: readonly AttachablePolicy[];
}

/** Locked by the caller. `nextRevision` counts one more journal entry about it. */
export interface AttachableEnvironment {
  readonly id: string;
  readonly name: string;
  nextRevision(): Promise<number>;
}

/**
 * Prevents the policies that are about to be attached from being archived or getting another version until the
 * transaction ends, so that the attached version is the one that judges. Taken before the lock on the environment: a
 * change of a policy waits for re-evaluations of environments, which wait for that lock.
 */
export async function keepPolicies(ctx: Ctx, names: readonly string[] | undefined): Promise<void> {
  if (names?.length) await store.keepPolicies(ctx.db, { org_id: ctx.org, names: [...new Set(names)].sort() });
}

/** The changes after which exactly these policies judge the environment. Undefined when no policies are given. */
export async function planPolicies(
  ctx: Ctx,
  environmentId: string,
  names: readonly string[] | undefined,
): Promise<AttachmentChanges> {
  if (!names) return { attached: [], detached: [] };
  const wanted = await findPolicies(ctx, names);
  const current = await store.listAttached(ctx.db, ctx.org, environmentId, ENFORCED);
  return { attached: missingIn(current, wanted), detached: missingIn(wanted, current) };
}

export async function planAttaching(
  ctx: Ctx,
  environmentId: string,
  names: readonly string[],
): Promise<AttachmentChanges> {
  const wanted = await findPolicies(ctx, names);
  const current = await store.listAttached(ctx.db, ctx.org, environmentId, ENFORCED);
  const attached = missingIn(current, wanted);
  if (attached.length > 0 && current.length + attached.length > POLICIES_PER_ENVIRONMENT) {
    throw invalidField(
      'policy_names',
      `would be too many: the environment has ${current.length} policies, and the maximum is ` +
        `${POLICIES_PER_ENVIRONMENT}`,
    );
  }
  return { attached, detached: [] };
}

export async function planDetaching(
  ctx: Ctx,
  environmentId: string,
  names: readonly string[],
): Promise<AttachmentChanges> {
  const unwanted = new Set(idsOf(await findPolicies(ctx, names)));
  const current = await store.listAttached(ctx.db, ctx.org, environmentId, ENFORCED);
  return { attached: [], detached: current.filter(({ id }) => unwanted.has(id)) };
}

/** The changes after which these report-only policies are enforced. Those that are enforced already stay so. */
export async function planPromoting(
  ctx: Ctx,
  environmentId: string,
  names: readonly string[],
): Promise<AttachmentChanges> {
  const known = await store.listAttached(ctx.db, ctx.org, environmentId, REPORT_ONLY);
  const enforced = await store.listAttached(ctx.db, ctx.org, environmentId, ENFORCED);
  const ids = new Set(idsOf([...known, ...enforced]));
  const stranger = (await findPolicies(ctx, names)).find(({ id }) => !ids.has(id));
  if (stranger) {
    throw invalidField('policy_names', `contains '${stranger.name}', which is not attached to the environment`);
  }
  return planAttaching(ctx, environmentId, names);
}

/** Evaluates these policies from now on without an effect on verdicts. */
export async function attachReportOnly(
  ctx: Ctx,
  environment: AttachableEnvironment,
  names: readonly string[],
): Promise<void> {
  const wanted = await findPolicies(ctx, names);
  const enforced = new Set(idsOf(await store.listAttached(ctx.db, ctx.org, environment.id, ENFORCED)));
  const taken = wanted.find(({ id }) => enforced.has(id));
  if (taken) {
    throw invalidField(
      'policy_names',
      `contains '${taken.name}', which is enforced in environment '${environment.name}': detach it first`,
    );
  }
  const current = await store.listAttached(ctx.db, ctx.org, environment.id, REPORT_ONLY);
  const attached = missingIn(current, wanted);
  if (attached.length === 0) return;
  if (current.length + attached.length > REPORT_ONLY_PER_ENVIRONMENT) {
    throw invalidField(
      'policy_names',
      `would be too many: the environment has ${current.length} report-only policies, and the maximum is ` +
        `${REPORT_ONLY_PER_ENVIRONMENT}`,
    );
  }
  await store.insertAttachments(ctx, environment.id, idsOf(attached), REPORT_ONLY);
  await recordChange(ctx, reportOnlyAttached, environment, attached);
  await recordEvents(
    ctx,
    attached.map((policy) => eventOf('policy_report_only_attached', policy, environment)),
  );
}

export async function detachReportOnly(
  ctx: Ctx,
  environment: AttachableEnvironment,
  names: readonly string[],
): Promise<void> {
  const unwanted = new Set(idsOf(await findPolicies(ctx, names)));
  const current = await store.listAttached(ctx.db, ctx.org, environment.id, REPORT_ONLY);
  const detached = current.filter(({ id }) => unwanted.has(id));
  if (detached.length === 0) return;
  await store.deleteAttachments(ctx.db, ctx.org, environment.id, idsOf(detached), REPORT_ONLY);
  await recordChange(ctx, reportOnlyDetached, environment, detached);
  await recordEvents(
    ctx,
    detached.map((policy) => eventOf('policy_report_only_detached', policy, environment)),
  );
}

/** Writes and records the changes, and judges by the new attachments after the commit. */
export async function changeAttachments(
  ctx: Ctx,
  environment: AttachableEnvironment,
  { attached, detached }: AttachmentChanges,
): Promise<'changed' | 'unchanged'> {
  if (attached.length + detached.length === 0) return 'unchanged';
  const promoted = attached.length === 0 ? [] : await endReportOnly(ctx, environment, attached);
  if (attached.length > 0) {
    await store.insertAttachments(ctx, environment.id, idsOf(attached), ENFORCED);
    await recordChange(ctx, policyAttached, environment, attached);
  }
  if (detached.length > 0) {
    await store.deleteAttachments(ctx.db, ctx.org, environment.id, idsOf(detached), ENFORCED);
    await recordChange(ctx, policyDetached, environment, detached);
  }
  await reevaluateAfterCommit(ctx, environment.id, 'policy');
  await recordEvents(ctx, [
    ...promoted.map((policy) => eventOf('policy_promoted', policy, environment)),
    ...attached.map((policy) => eventOf('policy_attached', policy, environment)),
    ...detached.map((policy) => eventOf('policy_detached', policy, environment)),
  ]);
  return 'changed';
}

/** What is enforced is not report-only. Returns the policies that were. */
async function endReportOnly(
  ctx: Ctx,
  environment: AttachableEnvironment,
  attached: readonly AttachablePolicy[],
): Promise<readonly AttachablePolicy[]> {
  const ids = new Set(idsOf(attached));
  const promoted = (await store.listAttached(ctx.db, ctx.org, environment.id, REPORT_ONLY)).filter(({ id }) =>
    ids.has(id),
  );
  if (promoted.length === 0) return [];
  await store.deleteAttachments(ctx.db, ctx.org, environment.id, idsOf(promoted), REPORT_ONLY);
  await recordChange(ctx, policyPromoted, environment, promoted);
  return promoted;
}

async function recordChange(
  ctx: Ctx,
  entry: ChangeEntry,
  environment: AttachableEnvironment,
  policies: readonly AttachablePolicy[],
): Promise<void> {
  const subject = { kind: 'environment', id: environment.id, seq: await environment.nextRevision() };
  const references = policies.map(({ id, name, version }) => ({ id, name, version }));
  await emit(ctx, entry, subject, { environment: environment.name, policies: references });
}

function eventOf(
  type: HistoryEvent['type'],
  policy: AttachablePolicy,
  environment: AttachableEnvironment,
): HistoryEvent {
  return { policyId: policy.id, type, data: { environment: environment.name, version: policy.version } };
}

/** The policies with these names, without duplicates, by name. */
async function findPolicies(ctx: Ctx, names: readonly string[]): Promise<AttachablePolicy[]> {
  const found = await store.listNamed(ctx.db, ctx.org, names);
  const known = new Set(found.map(({ name }) => name));
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined) throw notFound('Policy', missing);
  return found;
}

function missingIn(some: readonly AttachablePolicy[], others: readonly AttachablePolicy[]): AttachablePolicy[] {
  const ids = new Set(idsOf(some));
  return others.filter(({ id }) => !ids.has(id));
}

function idsOf(policies: readonly AttachablePolicy[]): string[] {
  return policies.map(({ id }) => id);
}
