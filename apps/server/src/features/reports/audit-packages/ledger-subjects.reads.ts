import { type SqlBool, sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import { ENTRY_OF_LEDGER } from '../../../platform/journal/journal-range.ts';

/** Something whose journal entries a package has: all of them, or those of some types. */
export interface PackageSubject {
  readonly id: string;
  readonly types?: readonly string[];
  /** Later entries are not part of what was exported. */
  readonly untilSeq?: number;
  /** The file in the package that its entries prove. */
  readonly path: string;
}

export interface PlacedEntry {
  readonly index: number;
  readonly subject_id: string;
}

const SUBJECTS_PER_QUERY = 2_000;

/** Returns the places of the entries of subjects in the log of the org, in its order. */
export async function listPlaces(ctx: Ctx, subjects: readonly PackageSubject[]): Promise<PlacedEntry[]> {
  const found: PlacedEntry[] = [];
  for (let at = 0; at < subjects.length; at += SUBJECTS_PER_QUERY) {
    const some = subjects.slice(at, at + SUBJECTS_PER_QUERY);
    const { rows } = await sql<PlacedEntry>`
      select ledger.index, ledger.subject_id
      from unnest(${some.map(({ id }) => id)}::uuid[], ${some.map(({ types }) => types?.join(' ') ?? null)}::text[],
        ${some.map(({ untilSeq }) => untilSeq ?? null)}::bigint[]) as subject (id, types, until_seq)
      join ledger on ledger.org_id = ${ctx.org} and ledger.subject_id = subject.id
      cross join lateral (${sql.raw(ENTRY_OF_LEDGER)}) as journal
      where ${isWanted}`.execute(ctx.db);
    found.push(...rows);
  }
  return found.sort((a, b) => a.index - b.index);
}

const isWanted = sql<SqlBool>`(subject.types is null or journal.type = any(string_to_array(subject.types, ' ')))
  and (subject.until_seq is null or journal.subject_seq <= subject.until_seq)`;

/** The custom types that judged attestations of a trail. */
export async function listJudgingTypeIds(ctx: Ctx, trailId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string | null }>`
    select distinct readable_json(verdict) -> 'judged_by' ->> 'type_id' as id from attestation
    where org_id = ${ctx.org} and trail_id = ${trailId} and type_version is not null`.execute(ctx.db);
  return rows.flatMap(({ id }) => id ?? []);
}

/** All evidence of a trail: a verdict on one artifact of it follows from what was reported beside. */
export async function listEvidenceIds(
  ctx: Ctx,
  trailId: string,
): Promise<{ artifacts: string[]; attestations: string[]; approvals: { id: string; number: number }[] }> {
  const of = (table: 'artifact' | 'attestation') =>
    ctx.db
      .selectFrom(table)
      .select('id')
      .where('org_id', '=', ctx.org)
      .where('trail_id', '=', trailId)
      .orderBy('receipt')
      .execute();
  const approvals = await ctx.db
    .selectFrom('approval')
    .select(['id', 'number'])
    .where('org_id', '=', ctx.org)
    .where('trail_id', '=', trailId)
    .execute();
  return {
    artifacts: (await of('artifact')).map(({ id }) => id),
    attestations: (await of('attestation')).map(({ id }) => id),
    approvals,
  };
}
