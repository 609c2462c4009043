import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FLOORS, floorOf } from './import-graph/floors.ts';
import { arrowsOf, betweenFeatures, circlesIn, featureOf, type Import, readImports } from './import-graph/graph.ts';
import { withFeatureGraph } from './import-graph/picture.ts';

/** From the ground up. A file may import from its own layer and from those before it. */
const LAYERS = [
  ['packages/positioned-yaml/', 'packages/attestation-kinds/', 'packages/globs/'],
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
    'packages/transparency/',
    'packages/time-stamps/',
    'packages/verification-summary/',
  ],
  ['packages/client/', 'packages/audit-verifier/'],
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

function layerOf(file: string): number {
  return LAYERS.findIndex((folders) => folders.some((folder) => file.startsWith(folder)));
}

/** Only these two parse YAML. */
const YAML = 'packages/positioned-yaml/';
const YAML_READERS = ['packages/template/', 'packages/policy/'];
const PURE = 1;

const appOf = (file: string) => file.split('/')[1];

/** Applications do not import each other. Pure packages are independent of one another. */
function isWrong({ from, to }: Import): boolean {
  if (layerOf(to) === -1 || layerOf(to) > layerOf(from)) return true;
  if (to.startsWith(YAML) && !from.startsWith(YAML)) return !YAML_READERS.some((folder) => from.startsWith(folder));
  if (to.startsWith('apps/') && appOf(to) !== appOf(from)) return true;
  const besideEachOther = layerOf(from) === PURE && layerOf(to) === PURE;
  return besideEachOther && from.split('/')[1] !== to.split('/')[1];
}

const { files, imports } = readImports();

it('imports in apps and packages point in one direction only', () => {
  expect(files.length).toBeGreaterThan(80);
  expect(imports.length).toBeGreaterThan(200);
  expect(imports.filter(isWrong)).toEqual([]);
});

it('detects an import in the wrong direction', () => {
  const platform = 'apps/server/src/platform/ctx.ts';
  expect(isWrong({ from: platform, to: 'apps/server/src/features/flows/flow.service.ts' })).toBe(true);
  expect(isWrong({ from: platform, to: 'tools/demo.ts' })).toBe(true);
  expect(isWrong({ from: 'packages/policy/src/index.ts', to: 'packages/template/src/index.ts' })).toBe(true);
  expect(isWrong({ from: 'packages/contract/src/index.ts', to: 'packages/positioned-yaml/src/index.ts' })).toBe(true);
});

/** What a feature may use of another one. */
const PUBLIC = /(\.service|\.reads|-view)\.ts$/;

function isBackUp({ from, to }: Import): boolean {
  return floorOf(featureOf(to) ?? '') > floorOf(featureOf(from) ?? '');
}

function isPrivate({ to }: Import): boolean {
  return !PUBLIC.test(to);
}

it('every feature has a floor', () => {
  const listed = FLOORS.flatMap(({ features }) => features).sort();
  const found = new Set(files.flatMap((file) => featureOf(file) ?? []));
  expect([...found].sort()).toEqual(listed);
});

it('features import from their own floor and those below, never in a circle', () => {
  expect(betweenFeatures(imports).filter(isBackUp)).toEqual([]);
  expect(circlesIn(arrowsOf(imports))).toEqual([]);
});

it('of another feature only services, reads and views are imported', () => {
  expect(betweenFeatures(imports).filter(isPrivate)).toEqual([]);
});

it('files import each other in no circle, not even for types', () => {
  const arrows = Map.groupBy(imports, ({ from }) => from);
  const graph = new Map([...arrows].map(([from, all]) => [from, new Set(all.map(({ to }) => to))]));
  expect(circlesIn(graph)).toEqual([]);
});

it('detects a wrong import between features', () => {
  const flow = 'apps/server/src/features/flows/flow.service.ts';
  const report = 'apps/server/src/features/reports/printed/report.service.ts';
  const store = 'apps/server/src/features/flows/flow.store.ts';
  expect(isBackUp({ from: flow, to: report })).toBe(true);
  expect(isPrivate({ from: report, to: store })).toBe(true);
  const circle = [
    { from: flow, to: report },
    { from: report, to: flow },
  ];
  expect(circlesIn(arrowsOf(circle))).toEqual([['flows', 'reports']]);
});

it('the picture in architecture.md shows the imports that there are', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/architecture.md'), 'utf8');
  expect(page).toBe(withFeatureGraph(page));
});
