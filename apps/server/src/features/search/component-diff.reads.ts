import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { readSboms } from './artifact-sbom.reads.ts';

export const CHANGES = ['added', 'removed', 'version', 'license'] as const;
export type ComponentChangeKind = (typeof CHANGES)[number];

/** Of one component in one artifact. */
const VERSIONS_SHOWN = 20;

export interface ChangedComponent {
  readonly component: string;
  readonly kind: ComponentChangeKind;
  readonly from_versions: string[] | null;
  readonly to_versions: string[] | null;
  readonly from_licenses: string[] | null;
  readonly to_licenses: string[] | null;
}

export interface ComponentChanges {
  readonly sizes: { readonly from: number; readonly to: number };
  readonly counts: Readonly<Record<ComponentChangeKind | 'unchanged', number>>;
  readonly changed: readonly ChangedComponent[];
}

interface Counted {
  readonly component: null;
  readonly kind: ComponentChangeKind | 'unchanged';
  readonly count: number;
}

/** The lists that count for an artifact. Undefined if it has no SBOM. */
export async function readLists(ctx: Ctx, fingerprint: string): Promise<string[] | undefined> {
  const sboms = (await readSboms(ctx, [fingerprint])).get(fingerprint);
  return sboms && [...new Set(sboms.map(({ list_id }) => list_id))];
}

/** Compares lists of components, in the order of the components. */
export async function compareComponents(
  ctx: Ctx,
  { from, to }: { readonly from: readonly string[]; readonly to: readonly string[] },
  kind: ComponentChangeKind | undefined,
  limit: number,
  after: string,
): Promise<ComponentChanges> {
  const side = (lists: readonly string[]) => sql`
    select component_key(coalesce(purl, name)) collate "C" as component,
      array_agg(distinct version order by version) as versions,
      array_agg(distinct license order by license) filter (where license is not null) as licenses
    from component where org_id = ${ctx.org} and attestation_id = any(${lists}::uuid[])
    group by 1`;
  const { rows } = await sql<ChangedComponent | Counted>`
    with before as materialized (${side(from)}), later as materialized (${side(to)}), compared as materialized (
      select component, before.versions as from_versions, later.versions as to_versions,
        before.licenses as from_licenses, later.licenses as to_licenses,
        case
          when before.versions is null then 'added'
          when later.versions is null then 'removed'
          when before.versions <> later.versions then 'version'
          when before.licenses is distinct from later.licenses then 'license'
          else 'unchanged' end as kind
      from before full join later using (component)
    ), page as (
      select component, kind, from_versions[:${VERSIONS_SHOWN}] as from_versions,
        to_versions[:${VERSIONS_SHOWN}] as to_versions, from_licenses[:${VERSIONS_SHOWN}] as from_licenses,
        to_licenses[:${VERSIONS_SHOWN}] as to_licenses
      from compared
      where component > ${after} and kind <> 'unchanged' and (${kind ?? null}::text is null or kind = ${kind ?? null})
      order by component limit ${limit}
    )
    select *, 0 as count from page
    union all
    select null, kind, null, null, null, null, count(*)::integer from compared group by kind
    order by component nulls last`.execute(ctx.db);
  const counted = new Map(rows.flatMap((row) => (row.component === null ? [[row.kind, row.count]] : [])));
  const count = (name: ComponentChangeKind | 'unchanged') => counted.get(name) ?? 0;
  const counts = {
    added: count('added'),
    removed: count('removed'),
    version: count('version'),
    license: count('license'),
    unchanged: count('unchanged'),
  };
  const common = counts.version + counts.license + counts.unchanged;
  return {
    sizes: { from: common + counts.removed, to: common + counts.added },
    counts,
    changed: rows.filter((row) => row.component !== null),
  };
}
