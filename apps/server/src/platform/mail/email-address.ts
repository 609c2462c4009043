import { z } from 'zod';

/** Lists, comments and quoted names are refused: they are not plain addresses. */
const PART = '[^\\s@<>()\\[\\]\\\\,;:"\\p{Cc}\\p{Cf}]';

/** One address, as people write it. Only a mail can show whether the mailbox exists. */
export const EmailAddress = z
  .string()
  .max(254)
  .regex(new RegExp(`^${PART}{1,64}@${PART}+$`, 'u'), 'must be an email address, such as ada@example.com')
  .refine((text) => text.isWellFormed(), 'must not contain invalid Unicode characters');
