import { z } from 'zod';

/** Who writes a list, a comment or a quoted name wants something else than to be reached. */
const PART = '[^\\s@<>()\\[\\]\\\\,;:"\\p{Cc}\\p{Cf}]';

/** One address, as people write it. That there is a mailbox is shown by mail alone. */
export const EmailAddress = z
  .string()
  .max(254)
  .regex(new RegExp(`^${PART}{1,64}@${PART}+$`, 'u'), 'must be an e-mail address, such as ada@example.com')
  .refine((text) => text.isWellFormed(), 'must not contain broken characters');
