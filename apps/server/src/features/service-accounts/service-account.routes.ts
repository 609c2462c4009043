import * as api from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { nextLink } from '../../platform/http/links.ts';
import { epochSeconds } from '../../platform/time.ts';
import { listKeys, readKey } from '../api-keys/api-key.reads.ts';
import { toCreatedKey, toKey, toRotatedKey } from '../api-keys/api-key-view.ts';
import * as keys from './account-key.service.ts';
import { listAccounts, readAccount, type ServiceAccountView, viewOf } from './service-account.reads.ts';
import * as accounts from './service-account.service.ts';

export function serviceAccountRoutes(app: App, regionLetter: string): void {
  handle(app, api.createServiceAccount, async (ctx, { body }) => {
    const { name, privilege, description, display_name } = body;
    const account = {
      name,
      privilege: privilege ?? 'reader',
      description: description ?? '',
      display_name: shownInstead(name, display_name),
    };
    return toAccount(await accounts.createAccount(ctx, account));
  });

  handle(app, api.listServiceAccounts, async (ctx, { params, query }, out) => {
    const { accounts, next } = await listAccounts(ctx, query.after);
    if (next) out.header('link', nextLink(app.publicUrl, `/service-accounts/${params.org}`, { after: next }));
    return accounts.map(toAccount);
  });

  handle(app, api.getServiceAccount, async (ctx, { params }) =>
    toAccount(await viewOf(ctx, await readAccount(ctx, params.name))),
  );

  handle(app, api.updateServiceAccount, async (ctx, { params, body }) =>
    toAccount(await accounts.updateAccount(ctx, params.name, fromPatch(params.name, body))),
  );

  handle(app, api.deleteServiceAccount, async (ctx, { params }) => {
    await accounts.deleteAccount(ctx, params.name);
    return `Service account '${params.name}' deleted, and its keys revoked`;
  });

  keyRoutes(app, regionLetter);
}

function keyRoutes(app: App, regionLetter: string): void {
  handle(app, api.createServiceAccountKey, async (ctx, { params, body }) =>
    toCreatedKey(await keys.createAccountKey(ctx, params.name, body, regionLetter)),
  );

  handle(app, api.listServiceAccountKeys, async (ctx, { params, query }, out) => {
    const { keys: found, next } = await listKeys(ctx, await keys.readHolder(ctx, params.name), query.after);
    const path = `/service-accounts/${params.org}/${params.name}/api-keys`;
    if (next) out.header('link', nextLink(app.publicUrl, path, { after: next }));
    return found.map(toKey);
  });

  handle(app, api.getServiceAccountKey, async (ctx, { params }) =>
    toKey(await readKey(ctx, await keys.readHolder(ctx, params.name), params.key_id)),
  );

  handle(app, api.revokeServiceAccountKey, async (ctx, { params }) => {
    await keys.revokeAccountKey(ctx, params.name, params.key_id);
    return `API key '${params.key_id}' revoked`;
  });

  handle(app, api.restoreServiceAccountKey, async (ctx, { params }) => {
    const holder = await keys.restoreAccountKey(ctx, params.name, params.key_id);
    return toKey(await readKey(ctx, holder, params.key_id));
  });

  handle(app, api.rotateServiceAccountKey, async (ctx, { params, body }) =>
    toRotatedKey(await keys.rotateAccountKey(ctx, params.name, params.key_id, body, regionLetter)),
  );
}

/** Here null clears the description and the display name; for the privilege it counts as absent. */
function fromPatch(name: string, patch: api.Input<typeof api.updateServiceAccount>['body']): accounts.AccountChange {
  return {
    ...(patch.display_name !== undefined && { display_name: shownInstead(name, patch.display_name) }),
    ...(patch.description !== undefined && { description: patch.description ?? '' }),
    ...(patch.privilege != null && { privilege: patch.privilege }),
  };
}

/** Returns the display name, or null when that is the name itself. */
function shownInstead(name: string, displayName: string | null | undefined): string | null {
  return displayName && displayName !== name ? displayName : null;
}

function toAccount(account: ServiceAccountView): api.ServiceAccount {
  return {
    name: account.name,
    display_name: account.display_name ?? account.name,
    privilege: account.privilege,
    description: account.description,
    creating_user_id: account.creating_user_id ?? '',
    made_by: account.maker,
    suspended_keys: account.suspended_keys,
    created_at: epochSeconds(account.created_at),
    for_webhook: false,
  };
}
