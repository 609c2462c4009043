import * as api from '@waymark/contract';
import {
  type Comparison,
  groupChanges,
  listBody,
  parseFilter,
  patchUser,
  project,
  readGroup,
  readPage,
  readPatch,
  readUser,
  resourceTypes,
  schemas,
  serviceProviderConfig,
} from '@waymark/scim';
import type { Ctx } from '../../platform/ctx.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import * as groups from './scim-group.service.ts';
import * as groupStore from './scim-group.store.ts';
import * as users from './scim-user.service.ts';
import { listUsers } from './scim-user.store.ts';
import { scimUrl, toGroup, toUser } from './scim-view.ts';

export function scimRoutes(app: App): void {
  userRoutes(app);
  groupRoutes(app);
  discoveryRoutes(app);
}

function userRoutes(app: App): void {
  const shown = (row: Parameters<typeof toUser>[0], org: string, query: Projection) =>
    project(toUser(row, scimUrl(app.publicUrl, org)), query) as api.ScimUserResource;

  handle(app, api.scimListUsers, async (ctx, { params, query }) => {
    const page = readPage(query);
    const found = await listUsers(ctx.db, ctx.org, filterOf(query.filter), page);
    return listOf(
      page,
      found.total,
      found.users.map((row) => shown(row, params.org, query)),
    );
  });

  handle(app, api.scimCreateUser, async (ctx, { params, query, body }, out) => {
    const row = await users.provisionUser(ctx, readUser(body));
    out.header('location', `${scimUrl(app.publicUrl, params.org)}/Users/${row.id}`);
    return shown(row, params.org, query);
  });

  handle(app, api.scimGetUser, async (ctx, { params, query }) =>
    shown(await users.readUserRow(ctx, params.id), params.org, query),
  );

  handle(app, api.scimReplaceUser, async (ctx, { params, query, body }) =>
    shown(await users.changeUser(ctx, params.id, (before) => readUser(body, before)), params.org, query),
  );

  handle(app, api.scimPatchUser, async (ctx, { params, query, body }) => {
    const steps = readPatch(body);
    const row = await users.changeUser(ctx, params.id, (before) => patchUser(params.id, before, steps));
    return shown(row, params.org, query);
  });

  handle(app, api.scimDeleteUser, async (ctx, { params }) => {
    await users.deprovisionUser(ctx, params.id);
    return undefined;
  });
}

function groupRoutes(app: App): void {
  const shown = async (ctx: Ctx, rows: readonly groupStore.GroupRow[], org: string, query: Projection) => {
    const members = includesMembers(query) ? await membersOf(ctx, rows) : undefined;
    const base = scimUrl(app.publicUrl, org);
    return rows.map(
      (row) => project(toGroup(row, members && (members.get(row.id) ?? []), base), query) as api.ScimGroupResource,
    );
  };
  const one = async (ctx: Ctx, row: groupStore.GroupRow, org: string, query: Projection) => {
    const [group] = await shown(ctx, [row], org, query);
    if (!group) throw new Error('one row is one group');
    return group;
  };

  handle(app, api.scimListGroups, async (ctx, { params, query }) => {
    const page = readPage(query);
    const found = await groupStore.listGroups(ctx.db, ctx.org, filterOf(query.filter), page);
    const rows = includesMembers(query) ? await withinBounds(ctx, found.groups) : found.groups;
    return listOf(page, found.total, await shown(ctx, rows, params.org, query));
  });

  handle(app, api.scimCreateGroup, async (ctx, { params, query, body }, out) => {
    const row = await groups.createGroup(ctx, readGroup(body));
    out.header('location', `${scimUrl(app.publicUrl, params.org)}/Groups/${row.id}`);
    return one(ctx, row, params.org, query);
  });

  handle(app, api.scimGetGroup, async (ctx, { params, query }) =>
    one(ctx, await groups.readGroupRow(ctx, params.id), params.org, query),
  );

  handle(app, api.scimReplaceGroup, async (ctx, { params, query, body }) =>
    one(ctx, await groups.replaceGroup(ctx, params.id, readGroup(body)), params.org, query),
  );

  handle(app, api.scimPatchGroup, async (ctx, { params, body }) => {
    await groups.patchGroup(ctx, params.id, groupChanges(params.id, readPatch(body)));
    return undefined;
  });

  handle(app, api.scimDeleteGroup, async (ctx, { params }) => {
    await groups.deleteGroup(ctx, params.id);
    return undefined;
  });
}

function discoveryRoutes(app: App): void {
  const baseOf = ({ org }: { org: string }) => scimUrl(app.publicUrl, org);

  handle(app, api.scimGetServiceProviderConfig, async (_, { params }) => serviceProviderConfig(baseOf(params)));
  handle(app, api.scimListResourceTypes, async (_, { params }) => whole(resourceTypes(baseOf(params))));
  handle(app, api.scimGetResourceType, async (_, { params }) =>
    named('Resource type', resourceTypes(baseOf(params)), params.id),
  );
  handle(app, api.scimListSchemas, async (_, { params }) => whole(schemas(baseOf(params))));
  handle(app, api.scimGetSchema, async (_, { params }) => named('Schema', schemas(baseOf(params)), params.id));
}

interface Projection {
  readonly attributes?: unknown;
  readonly excludedAttributes?: unknown;
}

function filterOf(filter: string | undefined): Comparison[] {
  return filter === undefined || filter === '' ? [] : parseFilter(filter, 'and');
}

function includesMembers(query: Projection): boolean {
  return 'members' in project({ members: [] }, query);
}

async function membersOf(ctx: Ctx, rows: readonly groupStore.GroupRow[]): Promise<Map<string, groupStore.MemberRow[]>> {
  const members = await groupStore.listMembers(
    ctx.db,
    ctx.org,
    rows.map(({ id }) => id),
  );
  return Map.groupBy(members, (member) => member.group_id);
}

/** The first groups whose members together stay within the limit of one group, and at least one group. */
async function withinBounds(ctx: Ctx, rows: readonly groupStore.GroupRow[]): Promise<readonly groupStore.GroupRow[]> {
  const counts = await groupStore.countMembers(
    ctx.db,
    ctx.org,
    rows.map(({ id }) => id),
  );
  let sum = 0;
  const beyond = rows.findIndex(({ id }, place) => {
    sum += counts.get(id) ?? 0;
    return place > 0 && sum > groups.MEMBERS_MAX;
  });
  return beyond === -1 ? rows : rows.slice(0, beyond);
}

type Resources<T> = {
  schemas: string[];
  totalResults: number;
  startIndex: number;
  itemsPerPage: number;
  Resources: T[];
};

function listOf<T extends Record<string, unknown>>(
  page: Parameters<typeof listBody>[0],
  total: number,
  resources: T[],
): Resources<T> {
  return listBody(page, total, resources) as Resources<T>;
}

function whole(resources: Record<string, unknown>[]): Resources<Record<string, unknown>> {
  return listOf({ startIndex: 1, count: resources.length }, resources.length, resources);
}

function named(kind: string, resources: Record<string, unknown>[], id: string): Record<string, unknown> {
  const found = resources.find((resource) => resource['id'] === id);
  if (!found) throw notFound(kind, id);
  return found;
}
