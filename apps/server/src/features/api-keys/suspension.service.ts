import type { Ctx } from '../../platform/ctx.ts';
import { emitAll } from '../../platform/journal/journal.ts';
import { apiKeySuspended } from './api-key.entries.ts';
import { workloadIdentitySuspended } from './suspension.entries.ts';
import * as store from './suspension.store.ts';

export interface Suspended {
  readonly kind: 'api_key' | 'scim_key' | 'workload_identity';
  readonly id: string;
  /** The description of a key. */
  readonly name: string;
  readonly serviceAccount: string;
  /** Id of the person who made it. */
  readonly maker: string;
}

/**
 * Suspends the keys and workload identities that these people made, as far as they grant more than their remaining
 * role. Call it with the members locked, so that nothing is made meanwhile.
 */
export function suspendGrants(
  ctx: Ctx,
  departed: readonly store.Departed[],
  acting = ctx.credential?.id ?? null,
): Promise<Suspended[]> {
  return suspend(ctx, departed, { now: ctx.now(), acting });
}

/** Returns the ids of the people who made keys or workload identities that would be suspended now. */
export async function listLosing(ctx: Ctx, departed: readonly store.Departed[]): Promise<string[]> {
  if (departed.length === 0) return [];
  const scope = { now: ctx.now(), acting: ctx.credential?.id ?? null };
  return (await store.listLosing(ctx.db, ctx.org, departed, scope)).map(({ id }) => id);
}

/**
 * The same for a service account whose privilege was raised: whoever has the text of a key must not gain more by it
 * than their own role.
 */
export async function suspendOutranked(ctx: Ctx, account: string): Promise<Suspended[]> {
  const makers = await store.listOutranked(ctx.db, ctx.org, account);
  return suspend(ctx, makers, { now: ctx.now(), acting: null, account });
}

async function suspend(
  ctx: Ctx,
  departed: readonly store.Departed[],
  scope: store.SuspensionScope,
): Promise<Suspended[]> {
  if (departed.length === 0) return [];
  const identities = await store.suspendIdentities(ctx.db, ctx.org, departed, scope);
  const all = await store.suspendKeys(ctx.db, ctx.org, departed, scope);
  // Keys of jobs end within minutes, and their workload identity is reported instead.
  const keys = all.filter(({ is_of_job }) => !is_of_job);
  const logins = new Map(departed.map(({ id, login }) => [id, login]));
  const makerOf = ({ maker_id: id }: { maker_id: string }) => ({ id, login: logins.get(id) ?? '' });
  await emitAll(
    ctx,
    apiKeySuspended,
    'api_key',
    keys.map((key) => {
      const { id, revision: seq, description, account_id, account_name: name } = key;
      const owner = { kind: 'service_account' as const, id: account_id, name };
      return { id, seq, payload: { description, owner, made_by: makerOf(key) } };
    }),
  );
  await emitAll(
    ctx,
    workloadIdentitySuspended,
    'workload_identity',
    identities.map((identity) => {
      const { id, revision: seq, name, account_name: service_account } = identity;
      return { id, seq, payload: { name, service_account, made_by: makerOf(identity) } };
    }),
  );
  return [
    ...keys.map(({ id, description: name, account_name: serviceAccount, purpose, maker_id: maker }) => {
      const kind = purpose === 'scim' ? ('scim_key' as const) : ('api_key' as const);
      return { kind, id, name, serviceAccount, maker };
    }),
    ...identities.map(({ id, name, account_name: serviceAccount, maker_id: maker }) => {
      return { kind: 'workload_identity' as const, id, name, serviceAccount, maker };
    }),
  ];
}
