import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { version } from '../../apps/cli/src/run/version.ts';
import { leastReporter, reporterCases } from './cases.ts';
import { CHARTS, installChartTools, lint, render, validate } from './helm.ts';
import { containersOf, findManifest, type Manifest, podsOf } from './manifest.ts';
import { expectHardened, expectNoSecretInside } from './security.ts';

const IMAGE = `ghcr.io/waymark/waymark-reporter:${version}`;
const PODS_ONLY = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }];

const rendered = new Map<string, Manifest[]>();
const of = (name: keyof typeof reporterCases): Manifest[] => rendered.get(name) ?? [];

beforeAll(async () => {
  await installChartTools();
  for (const [name, values] of Object.entries(reporterCases)) rendered.set(name, render('waymark-reporter', values));
}, 600_000);

it.each(Object.entries(reporterCases))('has no fault with %s', (_, values) => {
  lint('waymark-reporter', values);
});

it('renders objects that Kubernetes accepts', () => {
  validate([...rendered.values()].flat());
});

it.each(Object.keys(reporterCases))('runs a hardened pod without a secret in it with %s', (name) => {
  expectHardened(of(name));
  expectNoSecretInside(of(name), ['WAYMARK_TOKEN']);
  expect(containersOf(podsOf(of(name))).map(({ image }) => image)).toEqual([IMAGE]);
});

it('may read pods and nothing else, in all namespaces or in those that are named', () => {
  expect(findManifest(of('the least'), 'ClusterRole').rules).toEqual(PODS_ONLY);
  const some = of('some namespaces');
  expect(some.some(({ kind }) => kind.startsWith('Cluster'))).toBe(false);
  const roles = some.filter(({ kind }) => kind === 'Role');
  expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(['shop', 'ops']);
  for (const { rules } of roles) expect(rules).toEqual(PODS_ONLY);
});

it('is the same as the manifest for one command', () => {
  const documents = parseAllDocuments(readFileSync(join(CHARTS, '../kubernetes/reporter.yaml'), 'utf8'));
  const manifests = (documents as { toJS(): Manifest }[]).map((document) => document.toJS());
  validate(manifests);
  expectHardened(manifests);
  const [plain] = containersOf(podsOf(manifests));
  const [charted] = containersOf(podsOf(render('waymark-reporter', leastReporter)));
  expect(plain).toMatchObject({ image: IMAGE, args: charted?.args });
});
