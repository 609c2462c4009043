import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { epochSeconds } from '../../platform/time.ts';
import { listMappedGroups } from './scim-group.store.ts';
import { chooseDefaultRole, chooseGroupRole, turnOff, turnOn } from './scim-setup.service.ts';
import { readSetup } from './scim-setup.store.ts';
import { scimUrl } from './scim-view.ts';

export function scimSetupRoutes(app: App, regionLetter: string): void {
  handle(app, api.turnOnScim, async (ctx, { params, body }) => {
    const { id, text } = await turnOn(ctx, regionLetter, body?.default_role);
    return { id, base_url: scimUrl(app.publicUrl, params.org), key: text };
  });

  handle(app, api.getScim, (ctx, { params }) => stateOf(ctx, scimUrl(app.publicUrl, params.org)));

  handle(app, api.configureScim, async (ctx, { params, body }) => {
    await chooseDefaultRole(ctx, body.default_role);
    return stateOf(ctx, scimUrl(app.publicUrl, params.org));
  });

  handle(app, api.turnOffScim, async (ctx) => {
    await turnOff(ctx);
    return 'SCIM is off: members stay as they are, and can be edited again';
  });

  handle(app, api.listScimGroups, (ctx) => listMappedGroups(ctx.db, ctx.org));

  handle(app, api.mapScimGroup, (ctx, { params, body }) => chooseGroupRole(ctx, params.id, body.role));
}

async function stateOf(ctx: Ctx, base: string): Promise<api.ScimState> {
  const setup = await readSetup(ctx.db, ctx.org);
  return {
    enabled: setup.enabled_at !== null,
    base_url: base,
    default_role: setup.default_role,
    created_at: setup.key_created_at && epochSeconds(setup.key_created_at),
    key_made_by: setup.key_made_by,
    key_suspended_at: setup.key_suspended_at && epochSeconds(setup.key_suspended_at),
    last_used_at: setup.last_used_at && epochSeconds(setup.last_used_at),
    users: setup.users,
    groups: setup.groups,
    unmanaged_members: setup.unmanaged_members,
  };
}
