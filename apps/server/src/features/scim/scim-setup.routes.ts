import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { epochSeconds } from '../../platform/time.ts';
import { findScimKey } from '../api-keys/api-key.reads.ts';
import { listMappedGroups } from './scim-group.store.ts';
import { chooseDefaultRole, chooseGroupRole, turnOff, turnOn } from './scim-setup.service.ts';
import { countManaged, findSetup } from './scim-setup.store.ts';
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
    return 'SCIM turned off: members stay as they are, and can be edited again';
  });

  handle(app, api.listScimGroups, (ctx) => listMappedGroups(ctx.db, ctx.org));

  handle(app, api.mapScimGroup, (ctx, { params, body }) => chooseGroupRole(ctx, params.id, body.role));
}

async function stateOf(ctx: Ctx, base: string): Promise<api.ScimState> {
  const setup = await findSetup(ctx.db, ctx.org);
  const key = setup?.key_id ? await findScimKey(ctx.db, ctx.org, setup.key_id) : undefined;
  return {
    enabled: setup !== undefined && setup.enabled_at !== null,
    base_url: base,
    default_role: setup?.default_role ?? null,
    created_at: key ? epochSeconds(key.created_at) : null,
    key_made_by: key?.maker ?? null,
    key_suspended_at: key?.suspended_at ? epochSeconds(key.suspended_at) : null,
    last_used_at: key?.last_used_at ? epochSeconds(key.last_used_at) : null,
    ...(await countManaged(ctx.db, ctx.org)),
  };
}
