import type { RecordedBy } from '@waymark/policy';
import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { findUserById } from '../users/user.reads.ts';

interface ProvisionedRow {
  readonly names: readonly (string | null)[];
  readonly groups: readonly string[];
}

/** Of the groups of a person, by name, and of other names. */
const GROUPS_MAX = 200;
const ALIASES_MAX = 20;

/** What the identity provider says about a member now. Groups only count while it manages the members. */
const listProvisioned = statement<{ org_id: string; user_id: string }, ProvisionedRow>(
  'list_provisioned_identity',
  `select array[scim_user.display_name] || scim_user.addresses[:${ALIASES_MAX}] as names,
     array(
       select scim_group.display_name from scim_setup
       join scim_group_member as member on member.org_id = scim_setup.org_id and member.user_id = scim_user.id
       join scim_group on scim_group.org_id = member.org_id and scim_group.id = member.group_id
       where scim_setup.org_id = :org_id::uuid and scim_setup.enabled_at is not null
       order by scim_group.display_name collate "C" limit ${GROUPS_MAX}
     ) as groups
   from scim_user where scim_user.org_id = :org_id::uuid and scim_user.user_id = :user_id::uuid`,
);

/** Returns what the caller was authenticated as. Null for work that no caller requested. */
export function identityOf({ actor, credential }: Ctx): RecordedBy | null {
  if (actor.kind === 'system') return null;
  const { id, name, role } = actor;
  if (actor.kind === 'service_account') {
    return { kind: credential?.workload ? 'workload' : 'service_account', id, name, role };
  }
  return { kind: 'user', id, name, role };
}

/** Returns the identity of the caller as it is now, of a person with other names and groups. */
export async function readIdentity(ctx: Ctx): Promise<RecordedBy | null> {
  const identity = identityOf(ctx);
  if (identity?.kind !== 'user') return identity;
  const { db, org } = ctx;
  const { id, name } = identity;
  const [person, [provisioned]] = await Promise.all([
    findUserById(db, id),
    listProvisioned(db, { org_id: org, user_id: id }),
  ]);
  const names = [person?.displayName, person?.email, ...(provisioned?.names ?? [])];
  const aliases = new Set(names.flatMap((alias) => (alias == null || alias === name ? [] : alias)));
  const groups = provisioned?.groups ?? [];
  return {
    ...identity,
    ...(aliases.size > 0 && { aliases: [...aliases].slice(0, ALIASES_MAX) }),
    ...(groups.length > 0 && { groups }),
  };
}
