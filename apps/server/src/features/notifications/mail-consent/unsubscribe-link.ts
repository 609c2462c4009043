import { z } from 'zod';
import type { SecretBox } from '../../../platform/secret-box.ts';

/** Whose mails from which target are meant. */
export interface Subscription {
  readonly orgId: string;
  readonly targetId: string;
  readonly address: string;
}

const CONTEXT = 'unsubscribe';
const Sealed = z.tuple([z.uuid(), z.uuid(), z.string().min(1).max(320)]);

/**
 * The link with which a mail is refused. It holds whom it is about, sealed: nothing is stored for it, it never expires,
 * and nobody can make one for somebody else. Without a key for secrets there are no such links.
 */
export function unsubscribeUrl(
  publicUrl: string,
  box: SecretBox | undefined,
): (orgId: string, targetId: string, address: string) => string | undefined {
  return (...subscription) => {
    if (!box) return undefined;
    const sealed = box.seal(JSON.stringify(subscription), CONTEXT);
    return `${publicUrl}/unsubscribe/${Buffer.from(sealed, 'base64').toString('base64url')}`;
  };
}

export function readToken(box: SecretBox | undefined, token: string): Subscription | undefined {
  try {
    const text = box?.open(Buffer.from(token, 'base64url').toString('base64'), CONTEXT);
    const [orgId, targetId, address] = Sealed.parse(JSON.parse(text ?? ''));
    return { orgId, targetId, address };
  } catch {
    // Cut short by a mail program, made up, or sealed with a key that is gone: it leads nowhere.
    return undefined;
  }
}
