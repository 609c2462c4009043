import { z } from 'zod';

const NAME_RULE = 'must start with a letter or digit and contain only letters, digits, and . - _ ~';

export const OrgName = z
  .string()
  .max(64)
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$/, NAME_RULE)
  .meta({ description: 'Name of the org' });

export const ResourceName = z
  .string()
  .max(255)
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$/, NAME_RULE);

export const EpochSeconds = z.number().meta({ description: 'Seconds since 1970-01-01 UTC' });

/** For a row whose stored content may be damaged. */
export const Unreadable = z
  .literal(true)
  .optional()
  .meta({
    description:
      'Present if the stored content of this item is damaged. Fields read from that content are empty, and no ' +
      'verdict read from it counts as compliant. The server log names the table and the row',
  });

/** The end of the year 9999. A later time was given in milliseconds. */
export const LATEST_SECOND = 253_402_300_799;

export const NO_MILLISECONDS = 'must be seconds since 1970, not milliseconds';

/** A time in a query. Clients send an empty text for a missing value; as a number it would be 1970. */
export const QueryTime = z.union(
  [z.literal(''), z.coerce.number().min(0).max(LATEST_SECOND, NO_MILLISECONDS)],
  'must be seconds since 1970',
);

export const Page = z.coerce.number().int().min(1).max(1_000_000);

/** PostgreSQL cannot store U+0000, nor canonical JSON a lone surrogate. */
export function isStorableText(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed();
}

/** Text that can be stored and hashed. */
export function text(maxLength: number) {
  return z.string().max(maxLength).refine(isStorableText, 'must not contain U+0000 or invalid Unicode characters');
}

/** Text with more than white space. */
export function filledText(maxLength: number, message: string) {
  return text(maxLength).min(1, message).regex(/\S/, message);
}

const RUNS_AS_CODE = /^[\s\p{C}]*(?:javascript|vbscript|data)\s*:/iu;

/** An external link. It is stored unchanged, but must be safe to show as a link. */
export function link(maxLength: number) {
  return text(maxLength).refine(
    (sent) => !RUNS_AS_CODE.test(sent),
    'must not begin with javascript:, vbscript:, or data:, which browsers execute',
  );
}

export const Visibility = z.enum(['private', 'public']);

export const TagKey = z
  .string()
  .max(255)
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$/, NAME_RULE);

export const Tags = z.record(TagKey, z.string()).meta({ description: 'Tags, key to value' });
