import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../src/platform/db/db.ts';
import { newId } from '../../src/platform/ids.ts';

export interface ExpiringKey {
  readonly owner: { readonly userId: string } | { readonly orgId: string; readonly accountId: string };
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly description?: string;
  readonly onlyOrg?: string | null;
  /** Made for a CI job. */
  readonly isOfJob?: boolean;
}

/** A key with any lifetime, past or future: keys made through the API all begin now. Nobody knows its text. */
export async function givenExpiringKey(db: Db, key: ExpiringKey): Promise<string> {
  const id = newId();
  const { owner } = key;
  const ofAccount = 'accountId' in owner;
  await db
    .insertInto('api_key')
    .values({
      id,
      hash: randomBytes(32),
      user_id: ofAccount ? null : owner.userId,
      org_id: ofAccount ? owner.orgId : null,
      service_account_id: ofAccount ? owner.accountId : null,
      only_org_id: key.onlyOrg ?? null,
      description: key.description ?? `key ${id}`,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      workload: key.isOfJob ? '{}' : null,
      workload_identity_id: key.isOfJob ? newId() : null,
    })
    .execute();
  return id;
}

interface KeyMessage {
  readonly org_id: string;
  readonly sequence: number;
  readonly key: string;
  readonly days_left: number;
  readonly owner: string;
  readonly description: string;
  readonly expires_at: number;
  /** By the record of steps; null if that does not have the message. */
  readonly step: number | null;
  /** Its recipients in alphabetical order: addresses, or hosts. */
  readonly to: readonly string[];
}

/** The stored messages about keys in all orgs, in order per org. */
export async function keyMessages(db: Db): Promise<KeyMessage[]> {
  const { rows } = await sql<KeyMessage>`
    select message.org_id, message.sequence, message.content #>> '{apiKey,id}' as key,
      (message.content #>> '{apiKey,daysLeft}')::integer as days_left, message.content #>> '{apiKey,owner}' as owner,
      message.content #>> '{apiKey,description}' as description,
      (message.content #>> '{apiKey,expiresAt}')::float8 as expires_at,
      (select notice.step from api_key_notice as notice
        where notice.org_id = message.org_id and notice.message_id = message.id) as step,
      (select coalesce(array_agg(coalesce(delivery.address, target.url_host) order by coalesce(delivery.address, target.url_host)), '{}')
        from delivery join notification_target as target
          on target.org_id = delivery.org_id and target.id = delivery.target_id
        where delivery.org_id = message.org_id and delivery.message_id = message.id) as "to"
    from message where message.trigger = 'api_key_expiry' and message.org_id is not null
    order by message.org_id, message.sequence`.execute(db);
  return rows;
}
