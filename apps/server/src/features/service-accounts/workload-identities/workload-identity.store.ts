import type { KeyScope, Role } from '@waymark/contract';
import type { Insertable } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { lockSubject } from '../../../platform/db/subject-lock.ts';
import type { Tables } from '../../../platform/db/tables.ts';
import { suspendsAt } from '../../api-keys/suspends-at.reads.ts';

export interface WorkloadIdentityRow {
  readonly org_id: string;
  readonly id: string;
  readonly name: string;
  readonly service_account_id: string;
  readonly issuer: string;
  readonly claims: Record<string, string>;
  readonly created_at: Date;
  readonly created_by: string;
  readonly made_by: string | null;
  readonly suspended_at: Date | null;
  readonly scope: KeyScope | null;
  readonly suspends_at: Date | null;
  readonly account_name: string;
  readonly account_archived_at: Date | null;
  readonly privilege: Role;
}

/** Serializes their changes, so that the limit holds and a name is taken once. */
export function lockIdentities(db: Db, org: string): Promise<void> {
  return lockSubject(db, org, 'workload_identities', '');
}

/** Identities that were not removed, with their accounts. */
function identities(db: Db) {
  return db
    .selectFrom('workload_identity as identity')
    .innerJoin('service_account as account', (join) =>
      join.onRef('account.org_id', '=', 'identity.org_id').onRef('account.id', '=', 'identity.service_account_id'),
    )
    .where('identity.removed_at', 'is', null)
    .select([
      'identity.org_id',
      'identity.id',
      'identity.name',
      'identity.service_account_id',
      'identity.issuer',
      'identity.claims',
      'identity.created_at',
      'identity.created_by',
      'identity.made_by',
      'identity.suspended_at',
      'identity.scope',
      'account.name as account_name',
      'account.archived_at as account_archived_at',
      'account.privilege',
    ])
    .select(suspendsAt('identity').as('suspends_at'));
}

export function listIdentities(db: Db, org: string): Promise<WorkloadIdentityRow[]> {
  return identities(db).where('identity.org_id', '=', org).orderBy('identity.name').execute();
}

export function findIdentity(db: Db, org: string, id: string): Promise<WorkloadIdentityRow | undefined> {
  return identities(db).where('identity.org_id', '=', org).where('identity.id', '=', id).executeTakeFirst();
}

/** Identities by which tokens of an issuer can be accepted. */
export function listIdentitiesOfIssuer(db: Db, org: string, issuer: string): Promise<WorkloadIdentityRow[]> {
  return identities(db)
    .where('identity.org_id', '=', org)
    .where('identity.issuer', '=', issuer)
    .where('account.archived_at', 'is', null)
    .orderBy('identity.name')
    .execute();
}

/** Locks an identity and its account until the transaction ends, if they still exist. */
export function lockIdentity(db: Db, org: string, id: string): Promise<WorkloadIdentityRow | undefined> {
  return identities(db)
    .where('identity.org_id', '=', org)
    .where('identity.id', '=', id)
    .where('account.archived_at', 'is', null)
    .forShare()
    .executeTakeFirst();
}

export function findAccount(db: Db, org: string, name: string): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('service_account')
    .select('id')
    .where('org_id', '=', org)
    .where('name', '=', name)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
}

export async function restoreIdentity(db: Db, org: string, id: string, madeBy: string | null): Promise<number> {
  const { revision } = await db
    .updateTable('workload_identity')
    .set((identity) => ({ suspended_at: null, made_by: madeBy, revision: identity('revision', '+', 1) }))
    .where('org_id', '=', org)
    .where('id', '=', id)
    .returning('revision')
    .executeTakeFirstOrThrow();
  return revision;
}

export async function insertIdentity(db: Db, identity: Insertable<Tables['workload_identity']>): Promise<void> {
  await db.insertInto('workload_identity').values(identity).execute();
}

/** Returns its counter after the change, if this call removed it. */
export async function removeIdentity(db: Db, org: string, id: string, at: Date): Promise<number | undefined> {
  const removed = await db
    .updateTable('workload_identity')
    .set((identity) => ({ removed_at: at, revision: identity('revision', '+', 1) }))
    .where('org_id', '=', org)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .returning('revision')
    .executeTakeFirst();
  return removed?.revision;
}

/** Whether a token was not used before. A concurrent caller with the same one waits for the outcome. */
export async function insertUsedToken(db: Db, token: Insertable<Tables['used_token']>): Promise<boolean> {
  const inserted = await db
    .insertInto('used_token')
    .values(token)
    .onConflict((conflict) => conflict.doNothing())
    .returning('jti')
    .executeTakeFirst();
  return inserted !== undefined;
}
