import * as api from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { nextLink } from '../../platform/http/links.ts';
import { listKeys, readKey } from '../api-keys/api-key.reads.ts';
import { revokeKey } from '../api-keys/api-key.service.ts';
import { toCreatedKey, toPersonalKey, toRotatedKey } from '../api-keys/api-key-view.ts';
import { callerAsHolder, createUserKey, rotateUserKey } from './user-key.service.ts';

export function userKeyRoutes(app: App, regionLetter: string): void {
  handle(app, api.createUserKey, async (ctx, { body }) => toCreatedKey(await createUserKey(ctx, body, regionLetter)));

  handle(app, api.listUserKeys, async (ctx, { query }, out) => {
    const { keys, next } = await listKeys(ctx, callerAsHolder(ctx), query.after);
    if (next) out.header('link', nextLink(app.publicUrl, '/user/api-keys', { after: next }));
    return keys.map(toPersonalKey);
  });

  handle(app, api.getUserKey, async (ctx, { params }) =>
    toPersonalKey(await readKey(ctx, callerAsHolder(ctx), params.key_id)),
  );

  handle(app, api.revokeUserKey, async (ctx, { params }) => {
    await revokeKey(ctx, callerAsHolder(ctx), params.key_id);
    return `API key '${params.key_id}' revoked`;
  });

  handle(app, api.rotateUserKey, async (ctx, { params, body }) =>
    toRotatedKey(await rotateUserKey(ctx, params.key_id, body, regionLetter)),
  );
}
