import type { KeyScope } from '@waymark/contract';
import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/db.ts';
import { hashKey } from '../../platform/http/key-text.ts';
import { pruneBatches } from '../../platform/jobs/prune-batches.ts';
import { insertKey } from './api-key.store.ts';

export interface JobKey {
  readonly text: string;
  readonly description: string;
  readonly account: { readonly id: string; readonly name: string };
  readonly workloadIdentity: string;
  /** The verified claims of the job, as canonical JSON. */
  readonly workload: string | null;
  readonly madeBy: string | null;
  readonly expiresAt: Date;
  readonly scope: KeyScope | null;
}

/** Adds a key for one job and returns its id. The caller records it, with the token that it was exchanged for. */
export async function addJobKey(ctx: Ctx, key: JobKey): Promise<string> {
  const id = ctx.newId();
  await insertKey(ctx.db, {
    id,
    hash: hashKey(key.text),
    user_id: null,
    org_id: ctx.org,
    service_account_id: key.account.id,
    description: key.description,
    created_at: ctx.now(),
    expires_at: key.expiresAt,
    workload: key.workload,
    workload_identity_id: key.workloadIdentity,
    created_by: key.account.name,
    made_by: key.madeBy,
    scope: key.scope && JSON.stringify(key.scope),
  });
  return id;
}

/** Ends the keys made through a workload identity; returns how many were still valid. */
export async function revokeJobKeys({ db, org, now }: Ctx, workloadIdentity: string): Promise<number> {
  const at = now();
  const { numUpdatedRows } = await db
    .updateTable('api_key')
    .set({ revoked_at: at })
    .where('org_id', '=', org)
    .where('workload_identity_id', '=', workloadIdentity)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Deletes keys of jobs that are over. What they did stays in the journal. */
export async function pruneJobKeys(db: Db): Promise<void> {
  await pruneBatches((limit) =>
    sql`
      delete from api_key where id in (
        select id from api_key
        where workload_identity_id is not null and expires_at < now() - interval '1 hour' limit ${limit}
      )`.execute(db),
  );
}
