import { randomBytes } from 'node:crypto';
import type { SealedColumn } from '../../../platform/reseal.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';

/** The context that each secret of a target is sealed with, so that none can replace another. */
const contexts = {
  url: (id: string) => `target-url:${id}`,
  secret: (id: string) => `target-secret:${id}`,
  oldSecret: (id: string) => `target-old-secret:${id}`,
};
type Part = keyof typeof contexts;

const columns = { url: 'url_sealed', secret: 'secret_sealed', oldSecret: 'old_secret_sealed' } as const;

export const targetSecrets: readonly SealedColumn[] = (['url', 'secret', 'oldSecret'] as const).map((part) => ({
  table: 'notification_target',
  column: columns[part],
  id: 'id',
  contextOf: contexts[part],
}));

const SECRET_BYTES = 32;

/** In the format of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

export function sealPart(box: SecretBox, part: Part, targetId: string, text: string): string {
  return box.seal(text, contexts[part](targetId));
}

/** Undefined when it was sealed with another key than the installation has now. */
export function openPart(
  box: SecretBox | undefined,
  part: Part,
  targetId: string,
  sealed: string | null,
): string | undefined {
  if (sealed === null) return undefined;
  try {
    return box?.open(sealed, contexts[part](targetId));
  } catch {
    return undefined;
  }
}
