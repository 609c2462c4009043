import * as api from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { epochSeconds } from '../../platform/time.ts';
import * as trust from './trust.service.ts';
import { listIdentities, listKeys, type TrustedIdentityRow, type TrustedKeyRow } from './trust.store.ts';

interface TrustParts {
  /** Sigstore's trusted_root.json of this installation, parsed. */
  readonly sigstoreRoot?: unknown;
}

export function trustRoutes(app: App, parts: TrustParts): void {
  handle(app, api.addTrustedKey, async (ctx, { body }) =>
    toKey(await trust.addKey(ctx, { name: body.name, publicKey: body.public_key })),
  );

  handle(app, api.listTrustedKeys, async (ctx) => (await listKeys(ctx.db, ctx.org)).map(toKey));

  handle(app, api.removeTrustedKey, async (ctx, { params }) => {
    const { name } = await trust.removeKey(ctx, params.key_id);
    return `Key '${name}' is no longer trusted`;
  });

  handle(app, api.addTrustedIdentity, async (ctx, { body }) => {
    const { trusted_root: trustedRoot, ...wanted } = body;
    return toIdentity(await trust.addIdentity(ctx, { ...wanted, trustedRoot }, parts.sigstoreRoot));
  });

  handle(app, api.listTrustedIdentities, async (ctx) => (await listIdentities(ctx.db, ctx.org)).map(toIdentity));

  handle(app, api.removeTrustedIdentity, async (ctx, { params }) => {
    const { name } = await trust.removeIdentity(ctx, params.identity_id);
    return `Identity '${name}' is no longer trusted`;
  });
}

function toKey(key: TrustedKeyRow): api.TrustedKey {
  return {
    id: key.id,
    name: key.name,
    public_key: key.public_key,
    algorithm: key.algorithm,
    sha256: key.sha256,
    created_at: epochSeconds(key.created_at),
    created_by: key.created_by,
  };
}

function toIdentity(identity: TrustedIdentityRow): api.TrustedIdentity {
  return {
    id: identity.id,
    name: identity.name,
    issuer: identity.issuer,
    subject: identity.subject,
    trusted_root_sha256: identity.root_sha256,
    trusted_root_source: identity.root_source,
    created_at: epochSeconds(identity.created_at),
    created_by: identity.created_by,
  };
}
