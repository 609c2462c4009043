import * as api from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import type { App, SignInConfig } from '../../platform/http/app.ts';
import { handle, handlePrepared } from '../../platform/http/handle.ts';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { readOrgRow } from '../orgs/org.reads.ts';
import { createIssuers } from './issuer.ts';
import * as sso from './sso.service.ts';
import { readIssuer } from './sso-input.ts';
import { ssoSettingsRoutes } from './sso-settings.routes.ts';
import { ssoSignInRoutes } from './sso-sign-in.routes.ts';
import { redirectUri, toSso } from './sso-view.ts';

interface SsoParts {
  readonly outbound: GuardedFetch;
  readonly secretBox: SecretBox | undefined;
  readonly signIn: SignInConfig;
}

export function ssoRoutes(app: App, { outbound, secretBox, signIn }: SsoParts): void {
  const issuers = createIssuers(outbound);
  const parts = {
    issuers,
    secretBox,
    perAddress: signIn.perAddress,
    redirectUri: (org: string) => redirectUri(app.publicUrl, org),
  };
  const readView = async (ctx: Ctx) =>
    toSso(await sso.requireSetting(ctx), await readOrgRow(ctx.db, ctx.org), app.publicUrl);

  handle(app, api.getSso, readView);

  handlePrepared(
    app,
    api.putSso,
    async (ctx, { body }) => {
      await sso.requireConfigurable(ctx);
      return readIssuer(issuers, body);
    },
    async (ctx, _input, _out, wanted) => {
      await sso.configure(ctx, secretBox, wanted);
      return readView(ctx);
    },
  );

  handle(app, api.removeSso, async (ctx) => {
    await sso.remove(ctx);
    return 'Single sign-on removed';
  });

  handle(app, api.enforceSso, async (ctx, { body }) => {
    await (body.enforced ? sso.enforce(ctx) : sso.release(ctx));
    return readView(ctx);
  });

  ssoSignInRoutes(app, parts);
  ssoSettingsRoutes(app, parts);
}
