import * as pep440 from '@renovatebot/pep440';
import semver from 'semver';

/** How versions of an ecosystem are ordered, as far as that is known. */
export type VersionOrder = 'semver' | 'pep440' | 'exact';

/** By type of package URL. Elsewhere the order of versions is not known, and they are only compared for equality. */
const ORDERS: Readonly<Record<string, VersionOrder>> = {
  cargo: 'semver',
  golang: 'semver',
  hex: 'semver',
  npm: 'semver',
  pub: 'semver',
  pypi: 'pep440',
  swift: 'semver',
};

const VERSION_MAX_LENGTH = 200;
const SEMVER_OPTIONS = { includePrerelease: true, loose: true };

export interface VersionRange {
  readonly order: VersionOrder;
  /** Null where it is not known how this version compares. */
  has(version: string): boolean | null;
}

export function orderOf(purl: string): VersionOrder {
  const type = /^pkg:\/*([^/]+)\//i.exec(purl)?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(ORDERS, type) && ORDERS[type]) || 'exact';
}

/** Reads a range in the syntax of the ecosystem. Undefined if it is none; no text is the range of all versions. */
export function readRange(order: VersionOrder, text: string): VersionRange | undefined {
  if (text.trim() === '' || text.trim() === '*') return { order, has: () => true };
  if (order === 'semver') return semverRange(text);
  if (order === 'pep440') return pep440Range(text);
  return exactRange(text);
}

function semverRange(text: string): VersionRange | undefined {
  // Of a version with `v`, as those of Go, too.
  const range = semver.validRange(text, SEMVER_OPTIONS) === null ? undefined : new semver.Range(text, SEMVER_OPTIONS);
  if (!range) return undefined;
  return {
    order: 'semver',
    has: (version) => {
      if (version.length > VERSION_MAX_LENGTH) return null;
      const parsed = semver.parse(/^v?\d+\.\d+$/.test(version) ? `${version}.0` : version, SEMVER_OPTIONS);
      return parsed && range.test(parsed);
    },
  };
}

function pep440Range(text: string): VersionRange | undefined {
  // A version alone is that version.
  const specifiers = pep440.valid(text.trim()) === null ? text : `==${text.trim()}`;
  if (!pep440.validRange(specifiers)) return undefined;
  return {
    order: 'pep440',
    has: (version) => {
      if (version.length > VERSION_MAX_LENGTH || pep440.valid(version) === null) return null;
      return pep440.satisfies(version, specifiers, { prereleases: true });
    },
  };
}

/** `1.2-r3`, or `= 1.2-r3`. Any other range cannot be compared, so every version may be in it. */
function exactRange(text: string): VersionRange {
  const wanted = /^\s*={0,2}\s*([^\s<>=!^~|,*]+)\s*$/.exec(text)?.[1];
  return { order: 'exact', has: (version) => (wanted === undefined ? null : version === wanted) };
}
