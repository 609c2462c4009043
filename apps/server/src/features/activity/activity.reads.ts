import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { cutSized, LIST_MAX_BYTES, type SizedRow } from '../../platform/db/paginate.ts';
import { readNumbers } from '../../platform/journal/journal-range.ts';
import { FOR_ADMINS, seesAll } from './feed/entry-access.reads.ts';
import type { TypeFilter } from './type-filter.ts';

/** An entry's number in the journal. */
export interface JournalPlace {
  readonly seq: number;
}

export interface ActivityFilter {
  readonly actor: string | undefined;
  /** All when undefined. */
  readonly types: TypeFilter | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly subjectKind: string | undefined;
}

export interface ActivityRow extends JournalPlace, SizedRow {
  readonly type: string;
  readonly recorded_at: Date;
  readonly actor_name: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly payload: string | null;
}

export interface ActivityPage {
  readonly entries: readonly ActivityRow[];
  /** Where the next page begins; undefined on the last page. */
  readonly next: JournalPlace | undefined;
}

/** Entries that are scanned for one page, however few of them match. */
export const MAX_SCANNED = 20_000;

/**
 * Pipelines and reporters record most of the journal. All other types have a partial index, whose condition lists
 * exactly these types.
 */
const FREQUENT_TYPES = [
  'trail.begun',
  'trail.updated',
  'artifact.reported',
  'attestation.recorded',
  'snapshot.recorded',
  'workload_identity.exchanged',
];
export const NOT_FREQUENT = sql<SqlBool>`type not in (${sql.join(FREQUENT_TYPES.map((type) => sql.lit(type)))})`;
/** The kinds of subjects of these types. */
const FREQUENT_KINDS = ['trail', 'artifact', 'attestation', 'environment', 'api_key'];

/** Newest first. `after` is the last one seen. */
export async function listActivityPage(
  ctx: Ctx,
  filter: ActivityFilter,
  perPage: number,
  after: JournalPlace | undefined,
): Promise<ActivityPage> {
  const range = await rangeOf(ctx, filter, after);
  const { rows } = await sql<ActivityRow>`
    select id, seq, type, recorded_at, actor_name, subject_kind, subject_id, coalesce(bytes, 0) as bytes,
      case when sum(bytes) over (order by seq desc) - bytes <= ${LIST_MAX_BYTES} then payload end as payload
    from (
      select *, octet_length(payload) as bytes from (
        select * from journal where ${range} order by seq desc limit ${MAX_SCANNED}
      ) as scanned
      where ${sql.join(conditionsOf(ctx, filter), sql` and `)}
      order by seq desc limit ${perPage + 1}
    ) as found
    order by seq desc`.execute(ctx.db);
  const { shown, last } = cutSized(rows, perPage);
  return { entries: shown, next: last ?? (await findEndOfScan(ctx, range)) };
}

/** The conditions that an index supports. */
export async function rangeOf(
  ctx: Ctx,
  filter: ActivityFilter,
  after: JournalPlace | undefined,
): Promise<RawBuilder<SqlBool>> {
  const { since, until } = await readNumbers(ctx, filter);
  const range = [sql<SqlBool>`org_id = ${ctx.org}`];
  if (after) range.push(sql`seq < ${after.seq}`);
  if (since !== null) range.push(sql`seq > ${since}`);
  if (until !== null) range.push(sql`seq <= ${until}`);
  if (filter.from) range.push(sql`recorded_at >= ${filter.from}`);
  if (filter.to) range.push(sql`recorded_at <= ${filter.to}`);
  if (isAboutTheRest(filter)) range.push(NOT_FREQUENT);
  return sql.join(range, sql` and `);
}

function isAboutTheRest({ types, subjectKind }: ActivityFilter): boolean {
  if (subjectKind !== undefined && !FREQUENT_KINDS.includes(subjectKind)) return true;
  return types !== undefined && !namesOf(types).some((type) => FREQUENT_TYPES.includes(type));
}

function namesOf({ types, versioned }: TypeFilter): string[] {
  return [...types, ...versioned.map(({ type }) => type)];
}

export function conditionsOf(ctx: Ctx, { actor, types, subjectKind }: ActivityFilter): RawBuilder<SqlBool>[] {
  const conditions = [isVisible(ctx)];
  if (actor !== undefined) conditions.push(sql`actor_name = ${actor}`);
  if (subjectKind !== undefined) conditions.push(sql`subject_kind = ${subjectKind}`);
  if (types) conditions.push(isOfType(types));
  return conditions;
}

export function isVisible(ctx: Ctx): RawBuilder<SqlBool> {
  return seesAll(ctx) ? sql`true` : sql`type !~ ${FOR_ADMINS.source}`;
}

function isOfType({ types, versioned }: TypeFilter): RawBuilder<SqlBool> {
  const exact = versioned.map(({ type, version }) => sql`(type = ${type} and version = ${version})`);
  return sql`(${sql.join([sql`type = any(${types}::text[])`, ...exact], sql` or `)})`;
}

/** The last scanned entry, if there are more behind it. */
async function findEndOfScan(ctx: Ctx, range: RawBuilder<SqlBool>): Promise<JournalPlace | undefined> {
  const { rows } = await sql<JournalPlace>`
    select seq from journal where ${range} order by seq desc offset ${MAX_SCANNED - 1} limit 1`.execute(ctx.db);
  return rows[0];
}

/** Names of notifications, by id. */
export async function readNotificationNames(ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db
    .selectFrom('notification')
    .select(['id', 'name'])
    .where('org_id', '=', ctx.org)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
