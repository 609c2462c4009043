import * as api from '@waymark/contract';
import type { App } from '../../../platform/http/app.ts';
import { handle } from '../../../platform/http/handle.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { epochSeconds } from '../../../platform/time.ts';
import * as secrets from './target-secret.service.ts';
import { publicKeyOf, type WebhookPublicKey } from './webhook-key.service.ts';

const OVERLAP_HOURS = 24;

export function targetRoutes(app: App, secretBox: SecretBox | undefined): void {
  handle(app, api.getTargetSecret, async (ctx, { params }) =>
    toSecret(await secrets.readSecret(ctx, secretBox, params.target_id)),
  );

  handle(app, api.rotateTargetSecret, async (ctx, { params, body }) =>
    toSecret(await secrets.rotateSecret(ctx, secretBox, params.target_id, body?.overlap_hours ?? OVERLAP_HOURS)),
  );

  handle(app, api.listWebhookKeys, async (ctx) => {
    const key = await publicKeyOf(ctx.db, secretBox, ctx.org, ctx.now);
    return { keys: key ? [toKey(key)] : [] };
  });
}

function toSecret({ secret, previousUntil }: secrets.KnownSecret): api.WebhookSecret {
  return { secret, previous_secret_until: previousUntil && epochSeconds(previousUntil) };
}

function toKey({ id, publicKey }: WebhookPublicKey) {
  return {
    kty: 'OKP' as const,
    crv: 'Ed25519' as const,
    use: 'sig' as const,
    alg: 'EdDSA' as const,
    kid: id,
    x: publicKey.toString('base64url'),
    waymark_key: `whpk_${publicKey.toString('base64')}`,
  };
}
