import { sql } from 'kysely';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Db } from '../../../platform/db/db.ts';
import { ARRAY_MAX, decodeCursor, encodeCursor, LIST_MAX_BYTES } from '../../../platform/db/paginate.ts';
import { notFound } from '../../../platform/errors.ts';
import type { SummaryLine } from './attestation-type.service.ts';
import { findActive, type TypeRow, type TypeVersionRow } from './attestation-type.store.ts';

/** The rules for evidence of a type, for the code that judges it. */
export interface TypeVersion {
  readonly typeId: string;
  readonly name: string;
  readonly version: number;
  readonly schema: string | null;
  readonly rules: string[];
  readonly summary: SummaryLine[];
}

export interface TypeView extends TypeRow {
  /** Newest first. */
  readonly versions: TypeVersionRow[];
}

/** Returns the newest version of the active type, or the requested one, which may be of an archived type. */
export async function findTypeVersion(
  db: Db,
  org: string,
  name: string,
  version?: number,
): Promise<TypeVersion | undefined> {
  const type = version === undefined ? await findActive(db, org, name) : await findWithVersion(db, org, name, version);
  if (!type) return undefined;
  const [found] = await versionsOf(db, org, [type.id], version ?? type.revision);
  if (!found) return undefined;
  const { schema, rules, summary } = found;
  return { typeId: type.id, name, version: found.version, schema, rules: rules ?? [], summary: summary ?? [] };
}

/** Returns the type with all versions, or with the requested one. */
export async function readType(ctx: Ctx, name: string, version: number | undefined): Promise<TypeView> {
  const type = await findWithVersion(ctx.db, ctx.org, name, version ?? 1);
  if (!type) throw notFound('Attestation type', version === undefined ? name : `${name}@v${version}`);
  return { ...type, versions: await versionsOf(ctx.db, ctx.org, [type.id], version) };
}

/** Returns active types by name, as many as fit, and the cursor of the rest, if any. */
export async function listTypes(ctx: Ctx, after: string | undefined) {
  const from = after === undefined ? undefined : decodeCursor(after).name;
  const sizes = ctx.db
    .selectFrom('custom_attestation_type as type')
    .select('type.id')
    .select(
      sql<number>`coalesce(sum((
        select sum(octet_length(version.schema)) from custom_attestation_type_version as version
        where version.org_id = type.org_id and version.type_id = type.id
      )) over (order by type.name rows between unbounded preceding and 1 preceding), 0)::bigint`.as('bytes_before'),
    )
    .where('type.org_id', '=', ctx.org)
    .where('type.archived_at', 'is', null)
    .$if(from !== undefined, (query) => query.where('type.name', '>', from ?? ''))
    .orderBy('type.name')
    .limit(ARRAY_MAX + 1);
  const types = await ctx.db
    .with('sized', () => sizes)
    .selectFrom('custom_attestation_type')
    .innerJoin('sized', 'sized.id', 'custom_attestation_type.id')
    .selectAll('custom_attestation_type')
    .select('sized.bytes_before')
    .where('custom_attestation_type.org_id', '=', ctx.org)
    .orderBy('custom_attestation_type.name')
    .execute();
  const shown = types.slice(0, ARRAY_MAX).filter((type) => type.bytes_before < LIST_MAX_BYTES);
  const versions = Map.groupBy(
    await versionsOf(
      ctx.db,
      ctx.org,
      shown.map((type) => type.id),
    ),
    (version) => version.type_id,
  );
  const last = shown.length < types.length ? shown.at(-1) : undefined;
  return {
    types: shown.map((type): TypeView => ({ ...type, versions: versions.get(type.id) ?? [] })),
    next: last && encodeCursor({ value: last.name, name: last.name }),
  };
}

/** Picks among the types of this name with such a version: the active one, else the one archived last. */
function findWithVersion(db: Db, org: string, name: string, version: number): Promise<TypeRow | undefined> {
  return db
    .selectFrom('custom_attestation_type as type')
    .selectAll('type')
    .where('type.org_id', '=', org)
    .where('type.name', '=', name)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('custom_attestation_type_version as version')
          .select('version.version')
          .where('version.org_id', '=', org)
          .whereRef('version.type_id', '=', 'type.id')
          .where('version.version', '=', version),
      ),
    )
    .orderBy('type.archived_at', (order) => order.desc().nullsFirst())
    .limit(1)
    .executeTakeFirst();
}

function versionsOf(db: Db, org: string, types: readonly string[], version?: number): Promise<TypeVersionRow[]> {
  return db
    .selectFrom('custom_attestation_type_version')
    .selectAll()
    .where('org_id', '=', org)
    .where('type_id', '=', sql<string>`any(${types}::uuid[])`)
    .$if(version !== undefined, (query) => query.where('version', '=', version ?? 0))
    .orderBy('version', 'desc')
    .execute();
}
