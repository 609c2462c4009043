import { expect, it } from 'vitest';
import { artifactIn, asking, by, flow, IN_PRODUCTION, passed, reviewed, tagged } from './decide-examples.ts';
import { contextKey, evidenceKey, readEvidence } from './decide-keys.ts';
import { COMMIT, provenance, signed, summary, unverified } from './demands/statement-examples.ts';
import type { FlowEvidence } from './evidence.ts';

const NAME = 'registry.example.com/web:7';

it.each([
  ['nothing', '{ type: junit }', '{"artifact":null,"environment":{"name":null,"tags":{}}}'],
  [
    'the name of the artifact',
    `{ type: junit, if: '\${{ artifact.name == "web" }}' }`,
    `{"artifact":"${NAME}","environment":{"name":null,"tags":{}}}`,
  ],
  [
    'the name of the environment',
    `{ type: junit, if: '\${{ environment.name == "web" }}' }`,
    '{"artifact":null,"environment":{"name":"production","tags":{}}}',
  ],
  [
    'a tag of the environment',
    `{ type: junit, if: '\${{ environment.tags.tier == "1" }}' }`,
    '{"artifact":null,"environment":{"name":null,"tags":{"tier":"1"}}}',
  ],
  [
    'a tag that the environment does not have',
    `{ type: junit, if: '\${{ exists(environment.tags.zone) }}' }`,
    '{"artifact":null,"environment":{"name":null,"tags":{}}}',
  ],
  [
    'the fingerprint and the flow, which are part of the evidence',
    `{ type: junit, if: '\${{ artifact.fingerprint == "web" or flow.name == "web" or flow.tags.a == "b" }}' }`,
    '{"artifact":null,"environment":{"name":null,"tags":{}}}',
  ],
])('the key of the context has what the policy reads: %s', (_, rule, key) => {
  expect(contextKey(asking(rule), IN_PRODUCTION)).toBe(key);
});

it('the key of the context tells whether there is an environment', () => {
  expect(contextKey(asking('{ type: junit }'), { artifactName: 'web', environment: null })).toBe(
    '{"artifact":null,"environment":null}',
  );
});

it('the key of the evidence is the same in any order', () => {
  const [one, two] = [passed('a', 'junit'), passed('b', 'sbom')];
  const first = artifactIn(tagged({ x: '1', y: '2', '7': '3' }, flow('a', one, two)), flow('b'));
  const second = artifactIn(flow('b'), tagged({ '7': '3', y: '2', x: '1' }, flow('a', two, one)));
  expect(evidenceKey(second)).toBe(evidenceKey(first));
});

it('the key of the evidence is canonical JSON of all of it', () => {
  const evidence = artifactIn(tagged({ b: '1', a: '2' }, flow('web', reviewed(by('bob')))));
  expect(evidenceKey(evidence)).toBe(JSON.stringify(sorted(evidence)));
  expect(readEvidence(evidenceKey(evidence))).toEqual(evidence);
});

it('the key of the evidence has all that signed statements say, in order, and nothing where there are none', () => {
  const materials = { materials: ['pkg:docker/node@22', ''], materialCount: 51 };
  const statements = [
    provenance(materials),
    summary({ policyUri: 'https://a', verifiedLevels: ['L2'], properties: ['P'] }),
  ];
  const withdrawn = unverified({ isWithdrawn: true });
  const evidence = artifactIn({ ...flow('web', signed([...statements, withdrawn])), commit: COMMIT });
  expect(evidenceKey(evidence)).toBe(JSON.stringify(sorted(evidence)));
  expect(readEvidence(evidenceKey(evidence))).toEqual(evidence);
  expect(evidenceKey(artifactIn(flow('web', passed('build', 'in_toto'))))).not.toMatch(/statements|commit"/);
});

it('the key of the evidence has the lists that it names, in order', () => {
  const listed = { findings: { set: 'a', count: 2 }, vex: { set: 'b', count: 1 } };
  const evidence = artifactIn(flow('web', { ...passed('scan', 'snyk'), ...listed }));
  expect(evidenceKey(evidence)).toBe(JSON.stringify(sorted(evidence)));
  expect(readEvidence(evidenceKey(evidence))).toEqual(evidence);
});

const WEB = flow('web', passed('unit-tests', 'junit'));

it.each<[string, FlowEvidence]>([
  ['the name of the flow', { ...WEB, flow: { ...WEB.flow, name: 'shop' } }],
  ['a tag', tagged({ risk: 'high' }, WEB)],
  ['the trail', { ...WEB, trail: { id: 'other', name: 'release-7' } }],
  ['the report', { ...WEB, artifactId: 'other' }],
  ['the verdict in the trail', { ...WEB, status: 'INCOMPLETE' }],
  ['why', { ...WEB, because: 'Because.' }],
  ['what would help', { ...WEB, fix: 'Fix it.' }],
  ['an attestation', { ...WEB, attestations: [] }],
  ['when it was received', flow('web', passed('unit-tests', 'junit', { at: 1 }))],
  ['who approved', flow('web', passed('unit-tests', 'junit', { pullRequests: [] }))],
])('the key of the evidence changes with %s', (_, changed) => {
  expect(evidenceKey(artifactIn(changed))).not.toBe(evidenceKey(artifactIn(WEB)));
});

it('a tag may be called anything', () => {
  const tags: Record<string, string> = JSON.parse('{"__proto__":"a","constructor":"b","2":"c","10":"d","\\"":"e"}');
  const evidence = artifactIn(tagged(tags, flow('web')));
  const read = readEvidence(evidenceKey(evidence));
  expect(Object.entries(read.flows[0]?.flow.tags ?? {})).toHaveLength(5);
  expect(evidenceKey(read)).toBe(evidenceKey(evidence));
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
