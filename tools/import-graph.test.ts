import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** From the ground up. A file may import from its own layer and from those before it. */
const LAYERS = [
  ['packages/positioned-yaml/'],
  [
    'packages/contract/',
    'packages/template/',
    'packages/policy/',
    'packages/compliance/',
    'packages/fingerprint/',
    'packages/evidence/',
    'packages/snapshots/',
    'packages/scim/',
    'packages/messages/',
    'packages/ci-context/',
  ],
  ['packages/client/'],
  ['apps/cli/src/'],
  ['apps/web/src/lib/'],
  ['apps/web/src/ui/'],
  ['apps/web/src/pictures/', 'apps/web/src/editor/', 'apps/web/src/pages/'],
  ['apps/web/src/app/'],
  ['apps/server/src/platform/'],
  ['apps/server/src/features/', 'apps/server/src/config/'],
  ['apps/server/src/app/'],
  ['apps/server/src/bin/'],
];

interface Import {
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

function layerOf(file: string): number {
  return LAYERS.findIndex((folders) => folders.some((folder) => file.startsWith(folder)));
}

/** What reads YAML is for these two. */
const YAML_READERS = ['packages/template/', 'packages/policy/'];
const PURE = 1;

const appOf = (file: string) => file.split('/')[1];

/** Applications know nothing of each other. Pure packages stand side by side: none may lean on another. */
function isWrong({ from, to }: Import): boolean {
  if (layerOf(to) === -1 || layerOf(to) > layerOf(from)) return true;
  if (layerOf(to) === 0 && layerOf(from) > 0) return !YAML_READERS.some((folder) => from.startsWith(folder));
  if (to.startsWith('apps/') && appOf(to) !== appOf(from)) return true;
  const besideEachOther = layerOf(from) === PURE && layerOf(to) === PURE;
  return besideEachOther && from.split('/')[1] !== to.split('/')[1];
}

const files = globSync(['apps/*/src/**/*.{ts,tsx}', 'packages/*/src/**/*.ts'], {
  cwd: ROOT,
  exclude: ['**/*.test.ts', '**/node_modules/**'],
});
const imports = files.flatMap(importsOf);

it('imports in apps and packages point in one direction only', () => {
  expect(files.length).toBeGreaterThan(80);
  expect(imports.length).toBeGreaterThan(200);
  expect(imports.filter(isWrong)).toEqual([]);
});

it('an import that points back up is noticed', () => {
  const platform = 'apps/server/src/platform/ctx.ts';
  expect(isWrong({ from: platform, to: 'apps/server/src/features/flows/flow.service.ts' })).toBe(true);
  expect(isWrong({ from: platform, to: 'tools/demo.ts' })).toBe(true);
  expect(isWrong({ from: 'packages/policy/src/index.ts', to: 'packages/template/src/index.ts' })).toBe(true);
  expect(isWrong({ from: 'packages/contract/src/index.ts', to: 'packages/positioned-yaml/src/index.ts' })).toBe(true);
});
