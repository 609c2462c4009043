import * as api from '@waymark/contract';
import type { App } from '../../../platform/http/app.ts';
import { handle, handlePublic } from '../../../platform/http/handle.ts';
import type { GuardedFetch } from '../../../platform/outbound/guarded-fetch.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { createIssuerKeys } from './issuer-keys.ts';
import { exchangeToken } from './token-exchange.service.ts';
import * as identities from './workload-identity.service.ts';
import { listIdentities, type WorkloadIdentityRow } from './workload-identity.store.ts';

interface TokenParts {
  readonly outbound: GuardedFetch;
  readonly regionLetter: string;
}

export function workloadIdentityRoutes(app: App, parts: TokenParts): void {
  const findKeys = createIssuerKeys(parts.outbound, app.now);

  handle(app, api.addWorkloadIdentity, async (ctx, { body }) => {
    const { service_account: serviceAccount, scope = null, ...wanted } = body;
    return toWorkloadIdentity(await identities.addWorkloadIdentity(ctx, { ...wanted, serviceAccount, scope }));
  });

  handle(app, api.listWorkloadIdentities, async (ctx) =>
    (await listIdentities(ctx.db, ctx.org)).map(toWorkloadIdentity),
  );

  handle(app, api.getWorkloadIdentity, async (ctx, { params }) =>
    toWorkloadIdentity(await identities.readWorkloadIdentity(ctx, params.identity_id)),
  );

  handle(app, api.removeWorkloadIdentity, async (ctx, { params }) => {
    const { name } = await identities.removeWorkloadIdentity(ctx, params.identity_id);
    return `Workload identity '${name}' deleted, and its keys revoked`;
  });

  handle(app, api.restoreWorkloadIdentity, async (ctx, { params }) =>
    toWorkloadIdentity(await identities.restoreWorkloadIdentity(ctx, params.identity_id)),
  );

  handlePublic(app, api.exchangeToken, async (ctx, { params, body }, out) => {
    const { key, expiresAt, identity } = await exchangeToken(ctx, findKeys, {
      orgName: params.org,
      token: body.token,
      serviceAccount: body.service_account ?? undefined,
      audience: `${app.publicUrl}/${params.org}`,
      regionLetter: parts.regionLetter,
    });
    out.header('cache-control', 'no-store');
    return {
      key,
      expires_at: epochSeconds(expiresAt),
      service_account: identity.account_name,
      workload_identity: { id: identity.id, name: identity.name },
      scope: identity.scope,
    };
  });
}

function toWorkloadIdentity(identity: WorkloadIdentityRow): api.WorkloadIdentity {
  return {
    id: identity.id,
    name: identity.name,
    service_account: identity.account_name,
    issuer: identity.issuer,
    claims: identity.claims,
    scope: identity.scope,
    active: identity.account_archived_at === null,
    created_at: epochSeconds(identity.created_at),
    created_by: identity.created_by,
    suspended_at: identity.suspended_at && epochSeconds(identity.suspended_at),
    suspends_at: identity.suspends_at && epochSeconds(identity.suspends_at),
  };
}
