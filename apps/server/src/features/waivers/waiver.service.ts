import { type Actor, type Ctx, inTransaction } from '../../platform/ctx.ts';
import { invalidField, notFound, Problem } from '../../platform/errors.ts';
import { emit } from '../../platform/journal/journal.ts';
import { epochSeconds } from '../../platform/time.ts';
import { findEnvironmentByName } from '../environments/environment.reads.ts';
import { requireReason } from '../orgs/org.reads.ts';
import { reevaluateAfterCommit } from '../runtime-verdicts/reevaluation/queued-reevaluation.service.ts';
import { allowListAdded, allowListExpired, allowListWithdrawn } from './waiver.entries.ts';
import type { WaiverView } from './waiver.reads.ts';
import type { LockedEnvironment, WaiverRow } from './waiver.store.ts';
import * as store from './waiver.store.ts';

export interface NewWaiver {
  readonly fingerprint: string;
  readonly artifactName: string;
  readonly reason: string;
  readonly expiresAt: Date | null;
}

const EXPIRY: Actor = { kind: 'system', id: null, name: 'expiry' };

/** Creates a waiver. A repeat changes nothing; a different one replaces the active waiver. */
export function allowArtifact(ctx: Ctx, environmentName: string, wanted: NewWaiver): Promise<WaiverView> {
  requireFuture(wanted.expiresAt, ctx.now());
  return inTransaction(ctx, async (ctx) => {
    const environment = await lockPhysical(ctx, environmentName);
    const stored = await store.findUnended(ctx.db, ctx.org, environment.id, wanted.fingerprint);
    if (stored && saysTheSame(stored, wanted)) return viewOf(stored, environment);
    await requireRules(ctx, wanted);
    const replaced = stored && (await makeWay(ctx, stored, environment));
    const waiver = await store.insertWaiver(ctx.db, {
      org_id: ctx.org,
      id: ctx.newId(),
      environment_id: environment.id,
      fingerprint: wanted.fingerprint,
      artifact_name: wanted.artifactName,
      description: wanted.reason,
      created_at: ctx.now(),
      created_by: ctx.actor.name,
      expires_at: wanted.expiresAt,
    });
    const payload = { ...payloadOf(waiver, environment), replaces: replaced?.id ?? null };
    await emit(ctx, allowListAdded, await nextSubject(ctx, environment), payload);
    await reevaluateAfterCommit(ctx, environment.id, 'allow-list', [waiver.fingerprint]);
    return viewOf(waiver, environment);
  });
}

export async function withdrawWaiver(ctx: Ctx, environmentName: string, fingerprint: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const environment = await lockPhysical(ctx, environmentName);
    const waiver = await store.findUnended(ctx.db, ctx.org, environment.id, fingerprint);
    if (!waiver || hasExpired(waiver, ctx.now())) throw notListed(environmentName, fingerprint);
    await endWaiver(ctx, waiver, environment, 'withdrawn');
    await reevaluateAfterCommit(ctx, environment.id, 'allow-list', [fingerprint]);
  });
}

/** Ends those of these waivers that nobody else has ended, and returns their number. */
export function expireWaivers(ctx: Ctx, environmentId: string, ids: readonly string[]): Promise<number> {
  return inTransaction({ ...ctx, actor: EXPIRY }, async (ctx) => {
    const environment = await store.lockEnvironment(ctx.db, ctx.org, environmentId);
    const waivers = await store.listUnended(ctx.db, ctx.org, ids);
    for (const waiver of waivers) await endWaiver(ctx, waiver, environment, 'expired');
    const fingerprints = waivers.map(({ fingerprint }) => fingerprint);
    if (fingerprints.length > 0 && !environment.archived_at)
      await reevaluateAfterCommit(ctx, environmentId, 'allow-list', fingerprints);
    return fingerprints.length;
  });
}

function requireFuture(expiresAt: Date | null, now: Date): void {
  // Times out of the range of a date fail as well.
  if (expiresAt && !(expiresAt > now)) throw invalidField('expires_at', 'must be in the future');
}

const DAY_MS = 86_400_000;

async function requireRules(ctx: Ctx, { reason, expiresAt }: NewWaiver): Promise<void> {
  const { waiver_max_days: days } = await requireReason(ctx, reason, 'description');
  if (days === null) return;
  const within = `within ${days} ${days === 1 ? 'day' : 'days'}, which this org demands of waivers`;
  if (expiresAt === null) throw invalidField('expires_at', `is required: it must be ${within}`);
  if (expiresAt.getTime() > ctx.now().getTime() + days * DAY_MS)
    throw invalidField('expires_at', `is too late: it must be ${within}`);
}

async function lockPhysical(ctx: Ctx, name: string): Promise<LockedEnvironment> {
  const found = await findEnvironmentByName(ctx, name);
  if (found.type === 'logical') {
    throw invalidField('env_name', 'is logical: grant the waiver in its members');
  }
  const environment = await store.lockEnvironment(ctx.db, ctx.org, found.id);
  if (environment.archived_at) throw notFound('Environment', name);
  return environment;
}

function notListed(environmentName: string, fingerprint: string): Problem {
  return new Problem('not_found', `Artifact '${fingerprint}' has no waiver in environment '${environmentName}'`);
}

function saysTheSame(waiver: WaiverRow, wanted: NewWaiver): boolean {
  return (
    waiver.artifact_name === wanted.artifactName &&
    waiver.description === wanted.reason &&
    waiver.expires_at?.getTime() === wanted.expiresAt?.getTime()
  );
}

function hasExpired({ expires_at }: WaiverRow, now: Date): boolean {
  return expires_at !== null && expires_at <= now;
}

/**
 * Ends the active waiver so that another can replace it. Returns the replaced one, or undefined when it had expired.
 */
async function makeWay(ctx: Ctx, waiver: WaiverRow, environment: LockedEnvironment): Promise<WaiverRow | undefined> {
  if (hasExpired(waiver, ctx.now())) {
    await endWaiver({ ...ctx, actor: EXPIRY }, waiver, environment, 'expired');
    return undefined;
  }
  await store.updateToEnded(ctx.db, waiver, endOf(ctx, 'replaced'));
  return waiver;
}

async function endWaiver(
  ctx: Ctx,
  waiver: WaiverRow,
  environment: LockedEnvironment,
  reason: 'withdrawn' | 'expired',
): Promise<void> {
  await store.updateToEnded(ctx.db, waiver, endOf(ctx, reason));
  const entry = reason === 'withdrawn' ? allowListWithdrawn : allowListExpired;
  await emit(ctx, entry, await nextSubject(ctx, environment), payloadOf(waiver, environment));
}

function endOf(ctx: Ctx, reason: 'withdrawn' | 'replaced' | 'expired') {
  return { ended_at: ctx.now(), ended_by: ctx.actor.name, end_reason: reason };
}

async function nextSubject(ctx: Ctx, { id }: LockedEnvironment) {
  return { kind: 'environment', id, seq: await store.updateRevision(ctx.db, ctx.org, id) };
}

function payloadOf(waiver: WaiverRow, environment: LockedEnvironment) {
  return {
    id: waiver.id,
    environment: environment.name,
    fingerprint: waiver.fingerprint,
    name: waiver.artifact_name,
    reason: waiver.description,
    expires_at: waiver.expires_at && epochSeconds(waiver.expires_at),
  };
}

function viewOf(waiver: WaiverRow, environment: LockedEnvironment): WaiverView {
  return { ...waiver, environment_name: environment.name };
}
