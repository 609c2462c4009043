import { type KeyScope, normalizedScope, WORKLOAD_IDENTITIES_MAX } from '@waymark/contract';
import canonicalize from 'canonicalize';
import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { invalid, invalidField, notFound } from '../../../platform/errors.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { recordedScope } from '../../../platform/journal/recorded-scope.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { hostOf, parseOutboundUrl } from '../../../platform/outbound/outbound-url.ts';
import { requireNoExpiry } from '../../api-keys/api-key.service.ts';
import { revokeJobKeys } from '../../api-keys/job-key.service.ts';
import { lockMaker } from '../../memberships/maker.service.ts';
import { claimsFault, type RequiredClaims } from './required-claims.ts';
import {
  workloadIdentityAdded,
  workloadIdentityRemoved,
  workloadIdentityRestored,
} from './workload-identity.entries.ts';
import * as store from './workload-identity.store.ts';

export interface NewWorkloadIdentity {
  readonly name: string;
  readonly serviceAccount: string;
  readonly issuer: string;
  readonly claims: RequiredClaims;
  /** The scope of its keys; null for all permissions of the account. */
  readonly scope: KeyScope | null;
}

export async function addWorkloadIdentity(ctx: Ctx, wanted: NewWorkloadIdentity): Promise<store.WorkloadIdentityRow> {
  requireNoExpiry(ctx, 'A workload identity');
  const { name, serviceAccount, issuer, claims } = wanted;
  const scope = wanted.scope && normalizedScope(wanted.scope);
  requireIssuer(issuer);
  const fault = claimsFault(issuer, claims);
  if (fault) throw invalidField(fault.field, fault.reason);
  return inTransaction(ctx, async (ctx) => {
    await lockMaker(ctx, 'manage_workload_identities');
    await store.lockIdentities(ctx.db, ctx.org);
    const account = await store.findAccount(ctx.db, ctx.org, serviceAccount);
    if (!account) throw invalidField('service_account', `is not a service account of this org: '${serviceAccount}'`);
    requireRoom(await store.listIdentities(ctx.db, ctx.org), wanted);
    const id = ctx.newId();
    await store.insertIdentity(ctx.db, {
      org_id: ctx.org,
      id,
      name,
      service_account_id: account.id,
      issuer,
      claims: JSON.stringify(claims),
      scope: scope && JSON.stringify(scope),
      created_at: ctx.now(),
      created_by: ctx.actor.name,
      made_by: ctx.credential?.madeBy ?? null,
    });
    const payload = { name, service_account: serviceAccount, issuer, claims, scope: recordedScope(scope) };
    await emit(ctx, workloadIdentityAdded, subjectOf(id, 1), payload);
    return readWorkloadIdentity(ctx, id);
  });
}

export async function readWorkloadIdentity(ctx: Ctx, id: string): Promise<store.WorkloadIdentityRow> {
  const identity = await store.findIdentity(ctx.db, ctx.org, id);
  if (!identity) throw notFound('Workload identity', id);
  return identity;
}

/** Ends a suspension, or keeps an identity that is about to be suspended. It counts as made by whoever does. */
export async function restoreWorkloadIdentity(ctx: Ctx, id: string): Promise<store.WorkloadIdentityRow> {
  requireNoExpiry(ctx, 'A restored workload identity');
  return inTransaction(ctx, async (ctx) => {
    await lockMaker(ctx, 'manage_workload_identities');
    await store.lockIdentities(ctx.db, ctx.org);
    const { suspended_at, suspends_at, name, account_name } = await readWorkloadIdentity(ctx, id);
    if (suspended_at !== null || suspends_at !== null) {
      const seq = await store.restoreIdentity(ctx.db, ctx.org, id, ctx.credential?.madeBy ?? null);
      await emit(ctx, workloadIdentityRestored, subjectOf(id, seq), { name, service_account: account_name });
    }
    return readWorkloadIdentity(ctx, id);
  });
}

/** The keys that were made through it end at the same moment. */
export async function removeWorkloadIdentity(ctx: Ctx, id: string): Promise<store.WorkloadIdentityRow> {
  return inTransaction(ctx, async (ctx) => {
    await store.lockIdentities(ctx.db, ctx.org);
    const identity = await readWorkloadIdentity(ctx, id);
    // Waits for exchanges in progress, so that the keys they make can be revoked afterwards.
    const seq = await store.removeIdentity(ctx.db, ctx.org, id, ctx.now());
    if (seq === undefined) throw notFound('Workload identity', id);
    const keysRevoked = await revokeJobKeys(ctx, id);
    const { name, account_name: account, issuer } = identity;
    const payload = { name, service_account: account, issuer, keys_revoked: keysRevoked };
    await emit(ctx, workloadIdentityRemoved, subjectOf(id, seq), payload);
    return identity;
  });
}

function requireIssuer(issuer: string): void {
  const url = issuerUrl(issuer);
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(hostOf(url));
  if (url.protocol !== 'https:' && !isLoopback) throw invalidField('issuer', 'must be an https URL');
  if (url.search || url.hash || issuer.endsWith('?') || issuer.endsWith('#')) {
    throw invalidField('issuer', 'must not have a query or a fragment');
  }
}

function issuerUrl(issuer: string): URL {
  try {
    return parseOutboundUrl(issuer);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw invalidField('issuer', error.message.replace(/^The URL /, ''));
  }
}

function requireRoom(identities: readonly store.WorkloadIdentityRow[], wanted: NewWorkloadIdentity): void {
  if (identities.some(({ name }) => name === wanted.name)) {
    throw invalidField('name', `is taken: workload identity '${wanted.name}' already exists`);
  }
  const meant = canonicalize([wanted.serviceAccount, wanted.issuer, wanted.claims]);
  const same = identities.find(
    (other) =>
      other.account_archived_at === null && canonicalize([other.account_name, other.issuer, other.claims]) === meant,
  );
  if (same) throw invalidField('claims', `are already required by the workload identity '${same.name}'`);
  if (identities.length >= WORKLOAD_IDENTITIES_MAX) {
    throw invalid(
      `This org already has ${WORKLOAD_IDENTITIES_MAX} workload identities, which is the maximum: ` +
        'delete one first',
    );
  }
}

function subjectOf(id: string, seq: number) {
  return { kind: 'workload_identity', id, seq };
}
