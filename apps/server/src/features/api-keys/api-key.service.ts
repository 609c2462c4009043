import { type Ctx, inTransaction } from '../../platform/ctx.ts';
import { hashKey, newKeyText } from '../../platform/http/key-text.ts';
import { emit } from '../../platform/journal/journal.ts';
import { epochSeconds } from '../../platform/time.ts';
import { apiKeyCreated } from './api-key.entries.ts';

export interface NewKey {
  readonly owner: { readonly kind: 'user' | 'service_account'; readonly id: string; readonly name: string };
  readonly description: string;
  readonly expiresAt: Date | null;
  readonly regionLetter: string;
}

/**
 * Makes a key and returns its text, which is stored nowhere. Recorded in the context's org: the personal org for a
 * user's key, the account's org for a service account's.
 */
export async function createKey(ctx: Ctx, key: NewKey): Promise<{ id: string; text: string }> {
  const { owner, description, expiresAt } = key;
  const text = newKeyText(key.regionLetter);
  return inTransaction(ctx, async (ctx) => {
    const id = ctx.newId();
    const ofAccount = owner.kind === 'service_account';
    await ctx.db
      .insertInto('api_key')
      .values({
        id,
        hash: hashKey(text),
        user_id: ofAccount ? null : owner.id,
        org_id: ofAccount ? ctx.org : null,
        service_account_id: ofAccount ? owner.id : null,
        description,
        created_at: ctx.now(),
        expires_at: expiresAt,
      })
      .execute();
    const payload = { description, owner, expires_at: expiresAt && epochSeconds(expiresAt) };
    await emit(ctx, apiKeyCreated, { kind: 'api_key', id, seq: 1 }, payload);
    return { id, text };
  });
}
