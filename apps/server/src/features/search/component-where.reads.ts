import { sql } from 'kysely';
import type { Ctx } from '../../platform/ctx.ts';
import { type ArtifactSbom, listLiveFingerprints, readSboms } from './artifact-sbom.reads.ts';
import type { VersionRange } from './version-range.ts';

/** Artifacts that are searched in one go, with a statement for their SBOMs and one for the components. */
const SEARCHED_AT_ONCE = 200;
/** Artifacts that are searched for one page, none of which may contain the component. */
const SEARCHED_MAX = 2_000;
/** Of one package in one SBOM. */
const VERSIONS_READ = 1_000;
const ENVIRONMENTS_SHOWN = 100;

export interface ListedComponent {
  readonly list_id: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string | null;
  readonly license: string | null;
}

export interface MatchedComponent extends ListedComponent {
  readonly inRange: boolean | null;
}

export interface ComponentHolder {
  readonly fingerprint: string;
  readonly name: string;
  readonly environments: readonly { readonly environment_name: string; readonly since: Date }[];
  readonly hasMoreEnvironments: boolean;
  /** Those in the range first. */
  readonly components: readonly MatchedComponent[];
  readonly sboms: readonly ArtifactSbom[];
}

export interface WantedComponent {
  readonly purl: string;
  readonly range: VersionRange;
}

/**
 * Returns artifacts that run now and contain the component, or may, in the order of their fingerprints. At most `limit`,
 * and where to continue: after a while also without having found as many.
 */
export async function listRunningWith(
  ctx: Ctx,
  wanted: WantedComponent,
  limit: number,
  after: string,
): Promise<{ found: ComponentHolder[]; next: string | undefined }> {
  const found: ComponentHolder[] = [];
  let place = after;
  for (let searched = 0; searched < SEARCHED_MAX; searched += SEARCHED_AT_ONCE) {
    const fingerprints = await listLiveFingerprints(ctx, place, SEARCHED_AT_ONCE);
    for (const artifact of await findIn(ctx, wanted, fingerprints)) {
      const last = found.at(-1);
      if (found.length === limit && last) return { found, next: last.fingerprint };
      found.push(artifact);
    }
    if (fingerprints.length < SEARCHED_AT_ONCE) return { found, next: undefined };
    place = fingerprints.at(-1) ?? place;
  }
  return { found, next: place };
}

async function findIn(ctx: Ctx, wanted: WantedComponent, fingerprints: readonly string[]): Promise<ComponentHolder[]> {
  const sbomsOf = await readSboms(ctx, fingerprints);
  const lists = new Set([...sbomsOf.values()].flat().map(({ list_id }) => list_id));
  const componentsOf = await readComponents(ctx, wanted, [...lists]);
  const holders = fingerprints.flatMap((fingerprint) => {
    const sboms = (sbomsOf.get(fingerprint) ?? []).filter(({ list_id }) => componentsOf.has(list_id));
    if (sboms.length === 0) return [];
    const components = new Map(
      sboms.flatMap(({ list_id }) => componentsOf.get(list_id) ?? []).map((one) => [keyOf(one), one]),
    );
    return [{ fingerprint, sboms: sboms.sort(byAge), components: [...components.values()].sort(byMatch) }];
  });
  const placesOf = await readPlaces(
    ctx,
    holders.map(({ fingerprint }) => fingerprint),
  );
  return holders.flatMap((holder): ComponentHolder[] => {
    const places = placesOf.get(holder.fingerprint) ?? [];
    const [first] = places;
    if (!first) return [];
    const environments = places.slice(0, ENVIRONMENTS_SHOWN);
    return [{ ...holder, name: first.name, environments, hasMoreEnvironments: places.length > environments.length }];
  });
}

function keyOf({ name, version, purl, license }: ListedComponent): string {
  return JSON.stringify([name, version, purl, license]);
}

function byAge(one: ArtifactSbom, other: ArtifactSbom): number {
  return other.created_at.getTime() - one.created_at.getTime();
}

function byMatch(one: MatchedComponent, other: MatchedComponent): number {
  return Number(other.inRange ?? false) - Number(one.inRange ?? false) || (one.version < other.version ? -1 : 1);
}

/** Returns the components in the range, and those of which it is not known, by list. */
async function readComponents(
  ctx: Ctx,
  { purl, range }: WantedComponent,
  lists: readonly string[],
): Promise<ReadonlyMap<string, readonly MatchedComponent[]>> {
  if (lists.length === 0) return new Map();
  const { rows } = await sql<ListedComponent>`
    select list.id as list_id, found.name, found.version, found.purl, found.license
    from unnest(${lists}::uuid[]) as list (id)
    cross join lateral (
      select name, version, purl, license from component
      where component.org_id = ${ctx.org} and component.attestation_id = list.id
        and component_key(coalesce(component.purl, component.name)) = any(array(
          select component_key(name) from unnest(${[purl, ...namesOf(purl)]}::text[]) as name))
      order by component.position limit ${VERSIONS_READ}
    ) as found`.execute(ctx.db);
  const found = Array.from(
    Map.groupBy(rows, ({ list_id }) => list_id),
    ([list, components]) => {
      const isCut = components.length === VERSIONS_READ;
      const judged = components.flatMap((component): MatchedComponent[] => {
        const isIn = range.has(component.version);
        if (isIn === false) return [];
        // Of another ecosystem, perhaps.
        return [{ ...component, inRange: component.purl === null ? null : isIn }];
      });
      const [first] = components;
      const all = judged.length === 0 && isCut && first ? [{ ...first, inRange: null }] : judged;
      return [list, all] as const;
    },
  );
  return new Map(found.filter(([, components]) => components.length > 0));
}

/** The names that an SBOM without package URLs may have for it. */
function namesOf(purl: string): string[] {
  const [bare = ''] = purl.split(/[?#]/, 1);
  const path = decoded(bare.slice(bare.indexOf('/') + 1).replace(/(.)@[^/@]*$/, '$1'));
  return [...new Set([path, path.slice(path.lastIndexOf('/') + 1)])].filter(Boolean);
}

function decoded(text: string): string {
  return text.replaceAll(/%40/g, '@');
}

interface Place {
  readonly fingerprint: string;
  readonly name: string;
  readonly environment_name: string;
  readonly since: Date;
}

/** Where artifacts run now, one more than is shown. */
async function readPlaces(ctx: Ctx, fingerprints: readonly string[]): Promise<ReadonlyMap<string, readonly Place[]>> {
  if (fingerprints.length === 0) return new Map();
  const { rows } = await sql<Place>`
    select asked.fingerprint, place.name, place.environment_name, snapshot.created_at as since
    from unnest(${fingerprints}::text[]) as asked (fingerprint)
    cross join lateral (
      select distinct on (running.environment_id) running.environment_id, running.name, running.from_index,
        environment.name as environment_name
      from running
      join environment on environment.org_id = ${ctx.org} and environment.id = running.environment_id
      where running.org_id = ${ctx.org} and running.fingerprint = asked.fingerprint and running.fingerprint <> ''
        and running.until_index is null and environment.archived_at is null
      order by running.environment_id limit ${ENVIRONMENTS_SHOWN + 1}
    ) as place
    join snapshot on snapshot.org_id = ${ctx.org} and snapshot.environment_id = place.environment_id
      and snapshot.index = place.from_index
    order by asked.fingerprint, place.environment_name`.execute(ctx.db);
  return Map.groupBy(rows, ({ fingerprint }) => fingerprint);
}
