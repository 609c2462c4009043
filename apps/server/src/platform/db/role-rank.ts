import { roles } from '@waymark/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

function rankOf(role: RawBuilder<unknown>): RawBuilder<number> {
  return sql`array_position(${[...roles]}::text[], ${role})`;
}

/** Whether a role ranks above another, which is null for somebody without one. */
export function isRoleAbove(role: RawBuilder<unknown>, other: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${other} is null or ${rankOf(role)} > ${rankOf(other)})`;
}
