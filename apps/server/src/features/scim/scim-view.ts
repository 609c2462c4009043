import type { ScimGroupResource, ScimUserResource } from '@waymark/contract';
import { GROUP_SCHEMA, USER_SCHEMA } from '@waymark/scim';
import { apiUrl } from '../../platform/http/links.ts';
import { present } from '../../platform/present.ts';
import type { GroupRow, MemberRow } from './scim-group.store.ts';
import type { UserRow } from './scim-user.store.ts';

/** The URL of the SCIM service of an org, without a trailing slash. */
export function scimUrl(publicUrl: string, orgName: string): string {
  return apiUrl(publicUrl, `/scim/v2/${orgName}`);
}

export function toUser(row: UserRow, base: string): ScimUserResource {
  const name = present(row.name);
  return {
    schemas: [USER_SCHEMA],
    id: row.id,
    ...present({ externalId: row.external_id }),
    userName: row.user_name,
    ...(Object.keys(name).length > 0 && { name }),
    ...present({ displayName: row.display_name }),
    active: row.active,
    emails: row.emails.map(({ value, type, primary }) => ({ value, ...present({ type }), primary })),
    meta: metaOf(row, 'User', base),
  };
}

/** Without members where they were not requested. */
export function toGroup(row: GroupRow, members: readonly MemberRow[] | undefined, base: string): ScimGroupResource {
  return {
    schemas: [GROUP_SCHEMA],
    id: row.id,
    ...present({ externalId: row.external_id }),
    displayName: row.display_name,
    ...(members && { members: members.map(({ id, display }) => ({ value: id, display })) }),
    meta: metaOf(row, 'Group', base),
  };
}

function metaOf(
  row: { id: string; created_at: Date; last_modified_at: Date },
  resourceType: 'User' | 'Group',
  base: string,
) {
  return {
    resourceType,
    created: row.created_at.toISOString(),
    lastModified: row.last_modified_at.toISOString(),
    location: `${base}/${resourceType}s/${row.id}`,
  };
}
