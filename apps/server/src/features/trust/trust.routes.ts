import * as api from '@waymark/contract';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { epochSeconds } from '../../platform/time.ts';
import { readFlowNames } from './trust.reads.ts';
import * as trust from './trust.service.ts';
import { listIdentities, listKeys, type TrustedIdentityRow, type TrustedKeyRow } from './trust.store.ts';

interface TrustParts {
  /** Sigstore's trusted_root.json of this installation, parsed. */
  readonly sigstoreRoot?: unknown;
}

export function trustRoutes(app: App, parts: TrustParts): void {
  handle(app, api.addTrustedKey, async (ctx, { body }) => {
    const key = await trust.addKey(ctx, {
      name: body.name,
      publicKey: body.public_key,
      flows: body.flows ?? undefined,
    });
    return toKey(key, await readFlowNames(ctx, [key]));
  });

  handle(app, api.listTrustedKeys, async (ctx) => {
    const keys = await listKeys(ctx.db, ctx.org);
    const names = await readFlowNames(ctx, keys);
    return keys.map((key) => toKey(key, names));
  });

  handle(app, api.removeTrustedKey, async (ctx, { params }) => {
    const { name } = await trust.removeKey(ctx, params.key_id);
    return `Key '${name}' is no longer trusted`;
  });

  handle(app, api.addTrustedIdentity, async (ctx, { body }) => {
    const { trusted_root: trustedRoot, flows, matching, ...wanted } = body;
    const asked = { ...wanted, trustedRoot, isPattern: matching === 'pattern', flows: flows ?? undefined };
    const identity = await trust.addIdentity(ctx, asked, parts.sigstoreRoot);
    return toIdentity(identity, await readFlowNames(ctx, [identity]));
  });

  handle(app, api.listTrustedIdentities, async (ctx) => {
    const identities = await listIdentities(ctx.db, ctx.org);
    const names = await readFlowNames(ctx, identities);
    return identities.map((identity) => toIdentity(identity, names));
  });

  handle(app, api.removeTrustedIdentity, async (ctx, { params }) => {
    const { name } = await trust.removeIdentity(ctx, params.identity_id);
    return `Identity '${name}' is no longer trusted`;
  });
}

type FlowNames = ReadonlyMap<string, string>;

function flowsOf({ flow_ids: ids }: TrustedKeyRow | TrustedIdentityRow, names: FlowNames): string[] | null {
  return ids?.flatMap((id) => names.get(id) ?? []).sort() ?? null;
}

function toKey(key: TrustedKeyRow, names: FlowNames): api.TrustedKey {
  return {
    id: key.id,
    name: key.name,
    public_key: key.public_key,
    algorithm: key.algorithm,
    sha256: key.sha256,
    flows: flowsOf(key, names),
    created_at: epochSeconds(key.created_at),
    created_by: key.created_by,
  };
}

function toIdentity(identity: TrustedIdentityRow, names: FlowNames): api.TrustedIdentity {
  return {
    id: identity.id,
    name: identity.name,
    issuer: identity.issuer,
    subject: identity.subject,
    matching: identity.is_pattern ? 'pattern' : 'exact',
    trusted_root_sha256: identity.root_sha256,
    trusted_root_source: identity.root_source,
    flows: flowsOf(identity, names),
    created_at: epochSeconds(identity.created_at),
    created_by: identity.created_by,
  };
}
