import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { readOwners } from '../../users/user.reads.ts';

/**
 * Those of the addresses to which notifications may be mailed: the owner confirmed it, or is a member who joined without
 * the identity provider. What a provider says about an address proves nothing, because any org can run a provider of
 * its own.
 */
export async function listMailable(db: Db, org: string, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set();
  const owners = await readOwners(db, addresses);
  const { rows } = await sql<{ address: string }>`
    select given.address
    from unnest(${addresses}::text[], ${addresses.map((address) => owners.get(address) ?? null)}::uuid[])
      as given (address, owner_id)
    where exists (
        select from mail_address as known
        where known.org_id = ${org} and known.address = lower(given.address) and known.confirmed_at is not null
      )
      or exists (
        select from membership
        where membership.org_id = ${org} and membership.user_id = given.owner_id and membership.removed_at is null
          and not exists (
            select from scim_user where scim_user.org_id = ${org} and scim_user.user_id = given.owner_id
          )
          and not exists (
            select from sso_identity where sso_identity.org_id = ${org} and sso_identity.user_id = given.owner_id
          )
      )`.execute(db);
  return new Set(rows.map(({ address }) => address));
}
