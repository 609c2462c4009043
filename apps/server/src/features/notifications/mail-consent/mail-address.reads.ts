import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Whether notifications may be mailed to an address: its owner confirmed it, or it belongs to a member who joined
 * without the identity provider. What a provider says about an address proves nothing, because any org can run a
 * provider of its own.
 */
export function isMailable(
  org: string | RawBuilder<unknown>,
  address: string | RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    exists (
      select from mail_address as known
      where known.org_id = ${org} and known.address = lower(${address}) and known.confirmed_at is not null
    )
    or exists (
      select from user_account as person
      join membership on membership.org_id = ${org} and membership.user_id = person.id
        and membership.removed_at is null
      where lower(person.email) = lower(${address})
        and not exists (select from scim_user where scim_user.org_id = ${org} and scim_user.user_id = person.id)
        and not exists (
          select from sso_identity where sso_identity.org_id = ${org} and sso_identity.user_id = person.id
        )
    )
  )`;
}
