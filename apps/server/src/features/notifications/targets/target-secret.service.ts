import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { invalid, notFound, Problem } from '../../../platform/errors.ts';
import { emit } from '../../../platform/journal/journal.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { readManagedTarget } from './managed-target.service.ts';
import { targetSecretRotated } from './target.entries.ts';
import * as store from './target.store.ts';
import { newSecret, openPart, sealPart } from './target-secret.ts';

const HOUR_MS = 3_600_000;

export interface KnownSecret {
  readonly secret: string;
  /** Until when the previous secret is used as well. */
  readonly previousUntil: Date | null;
}

export async function readSecret(ctx: Ctx, box: SecretBox | undefined, targetId: string): Promise<KnownSecret> {
  const target = await findWebhook(ctx, targetId);
  const secret = openPart(requireBox(box), 'secret', target.id, target.secret_sealed);
  if (secret === undefined) {
    throw invalid(
      'The secret cannot be decrypted, because WAYMARK_SECRET_KEY of this installation has changed: rotate it',
    );
  }
  const until = target.old_secret_until;
  return { secret, previousUntil: until !== null && until > ctx.now() ? until : null };
}

export async function rotateSecret(
  ctx: Ctx,
  box: SecretBox | undefined,
  targetId: string,
  overlapHours: number,
): Promise<KnownSecret> {
  const openBox = requireBox(box);
  return inTransaction(ctx, async (ctx) => {
    await store.lockTarget(ctx.db, ctx.org, targetId);
    const target = await findWebhook(ctx, targetId);
    const { id } = target;
    const secret = newSecret();
    // A secret that cannot be opened any more was already unusable.
    const old = overlapHours > 0 ? openPart(openBox, 'secret', id, target.secret_sealed) : undefined;
    const previousUntil = old === undefined ? null : new Date(ctx.now().getTime() + overlapHours * HOUR_MS);
    const updated = await store.updateSecret(ctx.db, ctx.org, id, {
      secret_sealed: sealPart(openBox, 'secret', id, secret),
      old_secret_sealed: old === undefined ? null : sealPart(openBox, 'oldSecret', id, old),
      old_secret_until: previousUntil,
    });
    if (!updated) throw notFound('Target', targetId);
    await emit(
      ctx,
      targetSecretRotated,
      { kind: 'target', id, seq: updated.revision },
      { host: target.url_host ?? '', previous_secret_until: previousUntil && epochSeconds(previousUntil) },
    );
    return { secret, previousUntil };
  });
}

async function findWebhook(ctx: Ctx, id: string): Promise<store.StoredTarget> {
  const target = await readManagedTarget(ctx, id);
  if (target.kind !== 'WEBHOOK') {
    throw new Problem('not_found', `Target '${id}' is of type ${target.kind}: only a WEBHOOK has a secret`);
  }
  return target;
}

function requireBox(box: SecretBox | undefined): SecretBox {
  if (!box)
    throw invalid('This installation has no WAYMARK_SECRET_KEY, and so no secrets. Ask its operator to set one');
  return box;
}
