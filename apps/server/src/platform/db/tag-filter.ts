import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Whether a subject has a tag, given as `key` or `key:value`. `subject` is the column with its id. */
export function isTagged(org: string, kind: string, subject: string, tag: string): RawBuilder<SqlBool> {
  const at = tag.indexOf(':');
  return hasTag(org, kind, subject, at === -1 ? [tag, undefined] : [tag.slice(0, at), tag.slice(at + 1)]);
}

/** The same with key and value apart; without a value, any matches. */
export function hasTag(
  org: string,
  kind: string,
  subject: string,
  [key, value]: readonly [string, string | undefined],
): RawBuilder<SqlBool> {
  const ofValue = value === undefined ? sql`` : sql`and tag.value = ${value}`;
  return sql<SqlBool>`exists (
    select from tag
    where tag.org_id = ${org} and tag.subject_kind = ${kind} and tag.subject_id = ${sql.ref(subject)}
      and tag.key = ${key} ${ofValue})`;
}

/** The tags of a subject. */
export function bytesOfTags(org: string, kind: string, subject: string): RawBuilder<number> {
  return sql<number>`coalesce((
    select sum(octet_length(tag.key) + octet_length(tag.value)) from tag
    where tag.org_id = ${org} and tag.subject_kind = ${kind} and tag.subject_id = ${sql.ref(subject)}), 0)::integer`;
}
