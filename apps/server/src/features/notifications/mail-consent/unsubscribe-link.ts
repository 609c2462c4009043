import { z } from 'zod';
import type { SecretBox } from '../../../platform/secret-box.ts';

/** Mail from one target to one address. */
export interface Subscription {
  readonly orgId: string;
  readonly targetId: string;
  readonly address: string;
}

const CONTEXT = 'unsubscribe';
const Sealed = z.tuple([z.uuid(), z.uuid(), z.string().min(1).max(320)]);

/**
 * Returns unsubscribe links. A link contains its subscription, sealed: nothing is stored for it, it never expires, and
 * nobody can make one for somebody else. Without a secret key there are no links.
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
    // Truncated by a mail program, made up, or sealed with a lost key.
    return undefined;
  }
}
