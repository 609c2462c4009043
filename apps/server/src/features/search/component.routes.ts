import * as api from '@waymark/contract';
import { cut } from '../../platform/db/paginate.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { handle } from '../../platform/http/handle.ts';
import { epochSeconds } from '../../platform/time.ts';
import { readCoverage } from './artifact-sbom.reads.ts';
import { type ChangedComponent, compareComponents, readLists } from './component-diff.reads.ts';
import { type ComponentHolder, listRunningWith } from './component-where.reads.ts';
import { isReported } from './search.reads.ts';
import { orderOf, readRange, type VersionRange } from './version-range.ts';

const COMPONENTS_SHOWN = 20;
const SBOMS_SHOWN = 20;

export function componentRoutes(app: App): void {
  handle(app, api.whereComponent, async (ctx, { query }) => {
    const { component: purl, per_page = 20, after } = query;
    if (after !== undefined && !/^[0-9a-f]{64}$/.test(after)) {
      throw invalidField('query.after', 'is not a valid cursor: use the one from the previous page unchanged');
    }
    const range = rangeOf(purl, query.range);
    const { found, next } = await listRunningWith(ctx, { purl, range }, per_page, after ?? '');
    return {
      version_order: range.order,
      data: found.map(toFound),
      coverage: after === undefined ? await readCoverage(ctx) : null,
      pagination: { per_page, next: next ?? null },
    };
  });

  handle(app, api.diffComponents, async (ctx, { query }) => {
    const { per_page = 100, kind, after = '' } = query;
    const [from, to] = [await listsOf(query.from), await listsOf(query.to)];
    const lists = { from: from ?? [], to: to ?? [] };
    const { sizes, counts, changed } = await compareComponents(ctx, lists, kind, per_page + 1, after);
    const { shown, last } = cut(changed, per_page);
    return {
      from: { fingerprint: query.from, has_sbom: from !== undefined, component_count: sizes.from },
      to: { fingerprint: query.to, has_sbom: to !== undefined, component_count: sizes.to },
      counts,
      data: shown.map(toChange),
      pagination: { per_page, next: last?.component ?? null },
    };

    async function listsOf(fingerprint: string): Promise<string[] | undefined> {
      const lists = await readLists(ctx, fingerprint);
      if (!lists && !(await isReported(ctx, fingerprint))) throw notFound('Artifact', fingerprint);
      return lists;
    }
  });
}

function rangeOf(purl: string, range: string | undefined): VersionRange {
  const order = orderOf(purl);
  const version = /.@([^/@]+)$/.exec(purl.split(/[?#]/, 1)[0] ?? '')?.[1];
  const found =
    range === undefined && version !== undefined ? readRange('exact', version) : readRange(order, range ?? '');
  if (found) return { ...found, order };
  const syntax = order === 'pep440' ? 'PEP 440' : 'semantic versioning';
  throw invalidField('query.range', `is not a range of ${syntax}: '${range}'`);
}

function toFound({ fingerprint, name, environments, hasMoreEnvironments, components, sboms }: ComponentHolder) {
  return {
    ...{ fingerprint, name },
    in_range: components.some(({ inRange }) => inRange === true) ? true : null,
    environments: environments.map(({ environment_name, since }) => ({ environment_name, since: epochSeconds(since) })),
    has_more_environments: hasMoreEnvironments,
    components: components
      .slice(0, COMPONENTS_SHOWN)
      .map(({ name, version, purl, license, inRange }) => ({ name, version, purl, license, in_range: inRange })),
    component_count: components.length,
    sboms: sboms
      .slice(0, SBOMS_SHOWN)
      .map(({ attestation_id, attestation_name, flow_name, trail_name, created_at }) => ({
        ...{ attestation_id, attestation_name, flow_name, trail_name },
        recorded_at: epochSeconds(created_at),
      })),
  };
}

function toChange({ component, kind, ...sides }: ChangedComponent) {
  const side = (versions: string[] | null, licenses: string[] | null) =>
    versions && { versions, licenses: licenses ?? [] };
  return {
    ...{ component, kind },
    from: side(sides.from_versions, sides.from_licenses),
    to: side(sides.to_versions, sides.to_licenses),
  };
}
