import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const FEATURES = 'apps/server/src/features/';

export interface Import {
  readonly from: string;
  readonly to: string;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].flatMap(([, target = '']) => {
    if (target.startsWith('.')) return [{ from: file, to: normalize(join(dirname(file), target)) }];
    if (target.startsWith('@waymark/'))
      return [{ from: file, to: `${target.replace('@waymark/', 'packages/')}/src/index.ts` }];
    return [];
  });
}

/** Returns every import between files of apps and packages, those of types as well. Tests are left out. */
export function readImports(): { readonly files: readonly string[]; readonly imports: readonly Import[] } {
  const files = globSync(['apps/*/src/**/*.{ts,tsx}', 'packages/*/src/**/*.ts'], {
    cwd: ROOT,
    exclude: ['**/*.test.ts', '**/node_modules/**'],
  });
  return { files, imports: files.flatMap(importsOf) };
}

/** Returns the feature that a file of the server belongs to. */
export function featureOf(file: string): string | undefined {
  return file.startsWith(FEATURES) ? file.slice(FEATURES.length).split('/')[0] : undefined;
}

/** Returns the imports between two features. */
export function betweenFeatures(imports: readonly Import[]): Import[] {
  return imports.filter(({ from, to }) => {
    const [own, other] = [featureOf(from), featureOf(to)];
    return own !== undefined && other !== undefined && own !== other;
  });
}

/** Returns the features that each feature imports from. */
export function arrowsOf(imports: readonly Import[]): ReadonlyMap<string, ReadonlySet<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const { from, to } of betweenFeatures(imports)) {
    const [own = '', other = ''] = [featureOf(from), featureOf(to)];
    arrows.set(own, (arrows.get(own) ?? new Set()).add(other));
  }
  return arrows;
}

/** Returns the groups of nodes that reach each other, which is none in a graph without circles. */
export function circlesIn(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): void => {
    const place = order.size;
    order.set(node, place);
    lowest.set(node, place);
    open.push(node);
    for (const next of arrows.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(node) !== place) return;
    const circle = open.splice(open.indexOf(node));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const node of arrows.keys()) if (!order.has(node)) visit(node);
  return circles;
}
