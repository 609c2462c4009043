import { LATEST_SECOND } from '@waymark/contract';
import { type RawBuilder, sql } from 'kysely';

/**
 * The time of the commit in seconds, if the report of the artifact has it and can be read. PostgreSQL cannot read
 * U+0000 from JSON.
 */
export function commitTime(content: string): RawBuilder<number | null> {
  return sql`(readable_json(replace(${sql.ref(content)}, '\\u0000', '\\u0020'))
    #>> '{git_commit_info,timestamp}')::double precision`;
}

/** Reporters may send any number. */
export function isCommitTime(seconds: number | null | undefined): seconds is number {
  return seconds != null && seconds >= 0 && seconds <= LATEST_SECOND;
}

export function isCommitTimeSql(seconds: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`${seconds} between 0 and ${sql.lit(LATEST_SECOND)}`;
}
