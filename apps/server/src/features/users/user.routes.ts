import * as api from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { chooseDefaultOrg, readDefaultOrg } from './default-org.service.ts';

export function userRoutes(app: App): void {
  handle(app, api.getDefaultOrg, async (ctx) => ({ default_org_name: await readDefaultOrg(ctx) }));

  handle(app, api.setDefaultOrg, async (ctx, { params }) => {
    await chooseDefaultOrg(ctx, params.org);
    return { default_org_name: params.org };
  });
}
