import type { NormalizedFinding } from '@waymark/evidence';
import { contentId } from '../../platform/ids.ts';

const POSITIONS_MAX = 100;

/** A package URL or `name@version` without version, qualifiers, and subpath, in lower case. */
export function componentKey(component: string): string {
  const name = component.startsWith('pkg:') ? (component.split(/[?#]/, 1)[0] ?? '') : component;
  const version = name.lastIndexOf('@');
  return (version > name.lastIndexOf('/') ? name.slice(0, version) || name : name).toLowerCase();
}

/** The same finding in any version of a component, in any line of a file, and by whatever name a scanner prefers. */
export function findingId({ id, aliases = [], component, location }: NormalizedFinding): string {
  const name = [id, ...aliases].find((one) => /^CVE-/i.test(one)) ?? id;
  const where = component === undefined ? (location ?? '').replace(/:\d+$/, '') : componentKey(component);
  return contentId(JSON.stringify([name.toLowerCase(), where]));
}

/** What findings are searched by, with their positions. */
export function keysOf(findings: readonly NormalizedFinding[]): Map<string, number[]> {
  const keys = new Map<string, number[]>();
  for (const [position, { id, aliases = [], component }] of findings.entries()) {
    const own = [id, ...aliases].map((name) => name.toLowerCase());
    for (const key of new Set(component === undefined ? own : [...own, componentKey(component)])) {
      const positions = keys.get(key);
      if (positions === undefined) keys.set(key, [position]);
      else if (positions.length < POSITIONS_MAX) positions.push(position);
    }
  }
  return keys;
}
