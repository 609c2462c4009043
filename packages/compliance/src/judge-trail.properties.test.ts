import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { judgeTrail } from './judge-trail.ts';
import type { Explanation, Status } from './judgement.ts';
import type { Artifact, Attestation, RequiredAttestation, Target, Trail } from './trail.ts';

const RUNS = { numRuns: 300 };
/** One trail in sixty is compliant: 300 may contain none, these contain at least one. */
const RUNS_FOR_EVERY_STATUS = { numRuns: 3_000 };
const BADNESS: Record<Status, number> = { COMPLIANT: 0, INCOMPLETE: 1, 'NON-COMPLIANT': 2 };

/** Few words, so that names collide; some similar, and some that break naive keys. */
const name = fc.constantFrom('tests', 'test', 'sbom', '__proto__', '');
const artifactName = fc.constantFrom('backend', 'back-end', 'web', 'constructor', '');
const commit = fc.constantFrom('c1', 'c2', 'c3');
const fingerprint = fc.constantFrom('aaaa', 'bbbb', 'cccc');
const type = fc.constantFrom('generic', 'junit', 'custom:coverage');
const id = fc.constantFrom('0', '1', '2', '3', '4', '5');

const target: fc.Arbitrary<Target> = fc.oneof(
  fc.constant<Target>({ kind: 'trail' }),
  fc.record({ kind: fc.constant('fingerprint' as const), fingerprint }),
  fc.record({ kind: fc.constant('named' as const), artifact: artifactName, commit }),
);
const required: fc.Arbitrary<RequiredAttestation> = fc.record({ name, type: fc.oneof(type, fc.constant('*')) });
const requirements = fc.uniqueArray(required, { selector: (it) => it.name, maxLength: 3 });
const template = fc.record({
  attestations: requirements,
  artifacts: fc.uniqueArray(fc.record({ name: artifactName, attestations: requirements }), {
    selector: (it) => it.name,
    maxLength: 3,
  }),
});
const overrides = fc.record({ id, type: fc.oneof(type, fc.constant('override')), reason: fc.string() });
const attestation = fc
  .record({
    receivedAt: fc.nat(100),
    name,
    type,
    isCompliant: fc.boolean(),
    target,
    reasons: fc.array(fc.string(), { maxLength: 2 }),
    overrides: fc.option(overrides, { freq: 4 }),
  })
  .map((it) => ({ ...it, type: it.overrides === null ? it.type : 'override' }));
const artifact = fc.record({
  reportedAt: fc.nat(100),
  fingerprint,
  templateName: fc.option(artifactName),
  commit: fc.option(commit),
  filename: artifactName,
});
const trail: fc.Arbitrary<Trail> = fc
  .record({
    name: fc.string(),
    template,
    autoCreated: fc.boolean(),
    attestations: fc.array(attestation, { maxLength: 12 }),
    artifacts: fc.array(artifact, { maxLength: 5 }),
  })
  .map((it) => ({
    ...it,
    attestations: it.attestations.map((entry, receipt): Attestation => ({ ...entry, receipt, id: `${receipt}` })),
    artifacts: it.artifacts.map((entry, receipt): Artifact => ({ ...entry, receipt, id: `artifact-${receipt}` })),
  }));
const shuffled = trail.chain((it) =>
  fc.record({
    original: fc.constant(it),
    attestations: fc.shuffledSubarray([...it.attestations], { minLength: it.attestations.length }),
    artifacts: fc.shuffledSubarray([...it.artifacts], { minLength: it.artifacts.length }),
  }),
);

function nodesOf(node: Explanation): Explanation[] {
  return [node, ...node.children.flatMap(nodesOf)];
}

function allNodes(it: Trail): Explanation[] {
  const { explanation, artifacts } = judgeTrail(it);
  return [explanation, ...artifacts.map((entry) => entry.explanation)].flatMap(nodesOf);
}

it('the order of the arrays does not matter', () => {
  fc.assert(
    fc.property(shuffled, ({ original, attestations, artifacts }) => {
      expect(judgeTrail({ ...original, attestations, artifacts })).toEqual(judgeTrail(original));
    }),
    RUNS,
  );
});

/** Each requirement of the template, with its possible targets. */
function requirementsOf({ template, artifacts }: Trail): { required: RequiredAttestation; target: Target }[] {
  const ofTrail = template.attestations.map((it) => ({ required: it, target: { kind: 'trail' } as const }));
  const ofArtifacts = template.artifacts.flatMap(({ name: wanted, attestations }) =>
    attestations.flatMap((it) => [
      { required: it, target: { kind: 'named', artifact: wanted, commit: 'c1' } as const },
      ...artifacts
        .filter(({ templateName }) => templateName === wanted)
        .map((reported) => ({
          required: it,
          target: { kind: 'fingerprint', fingerprint: reported.fingerprint } as const,
        })),
    ]),
  );
  return [...ofTrail, ...ofArtifacts];
}

it('a passing, required attestation never makes a trail worse', () => {
  let tried = 0;
  fc.assert(
    fc.property(trail, type, (it, anyType) => {
      const before = BADNESS[judgeTrail(it).status];
      for (const { required: slot, target: where } of requirementsOf(it)) {
        tried += 1;
        const passing: Attestation = {
          id: 'new',
          receipt: 1000,
          receivedAt: 1000,
          name: slot.name,
          type: slot.type === '*' ? anyType : slot.type,
          isCompliant: true,
          target: where,
          reasons: [],
          overrides: null,
        };
        const after = judgeTrail({ ...it, attestations: [...it.attestations, passing] }).status;
        expect(BADNESS[after]).toBeLessThanOrEqual(before);
      }
    }),
    RUNS,
  );
  expect(tried).toBeGreaterThan(300);
});

it('a trail fails exactly when something that counts fails, whatever is missing', () => {
  const seen = new Set<Status>();
  fc.assert(
    fc.property(trail, (it) => {
      const { status, attestations, artifacts, explanation } = judgeTrail(it);
      const deciding = artifacts.filter(({ superseded }) => !superseded);
      const slots = [...attestations, ...deciding.flatMap((entry) => entry.attestations)];
      const unplacedFails = explanation.children.some(
        (node) => node.kind === 'unplaced' && node.status === 'NON-COMPLIANT',
      );
      seen.add(status);
      expect(status === 'NON-COMPLIANT').toBe(unplacedFails || slots.some(({ isCompliant }) => isCompliant === false));
    }),
    RUNS_FOR_EVERY_STATUS,
  );
  expect([...seen].sort()).toEqual(['COMPLIANT', 'INCOMPLETE', 'NON-COMPLIANT']);
});

it('an artifact that is here passes exactly when neither its own slots nor those of the trail fail or are missing', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(trail, (it) => {
      const { attestations, artifacts } = judgeTrail(it);
      for (const entry of artifacts.filter(({ artifactId }) => artifactId !== null)) {
        const slots = [...attestations, ...entry.attestations];
        const isMissing = slots.some(({ status }) => status === 'MISSING');
        const expected = isMissing ? 'INCOMPLETE' : 'COMPLIANT';
        const fails = slots.some(({ isCompliant }) => isCompliant === false);
        seen.add(entry.status);
        expect(entry.status).toBe(fails ? 'NON-COMPLIANT' : expected);
      }
    }),
    RUNS_FOR_EVERY_STATUS,
  );
  expect([...seen].sort()).toEqual(['COMPLIANT', 'INCOMPLETE', 'NON-COMPLIANT']);
});

it('the newest attestation makes the trail fail when it fails, whatever its target', () => {
  fc.assert(
    fc.property(trail, name, type, target, (it, failingName, failingType, where) => {
      const failing: Attestation = {
        id: 'new',
        receipt: 1000,
        receivedAt: 1000,
        name: failingName,
        type: failingType,
        isCompliant: false,
        target: where,
        reasons: [],
        overrides: null,
      };
      const { status, artifacts } = judgeTrail({ ...it, attestations: [...it.attestations, failing] });
      const onlySuperseded = artifacts.filter(({ attestations }) =>
        attestations.some((slot) => slot.attestationId === 'new'),
      );
      fc.pre(onlySuperseded.length === 0 || onlySuperseded.some(({ superseded }) => !superseded));
      expect(status).toBe('NON-COMPLIANT');
    }),
    RUNS,
  );
});

it('a newest report that fails makes the trail fail unless an override names it', () => {
  let tried = 0;
  fc.assert(
    fc.property(trail, (it) => {
      const reports = it.attestations.filter(({ overrides }) => overrides === null);
      const newest = new Map(reports.map((report) => [report.name, report]));
      const named = new Set(it.attestations.flatMap(({ overrides }) => overrides?.id ?? []));
      const failing = [...newest.values()].filter(({ id, isCompliant }) => !isCompliant && !named.has(id));
      const { status, artifacts } = judgeTrail(it);
      const superseded = artifacts.filter((entry) => entry.superseded).flatMap(({ evidence }) => evidence);
      const deciding = failing.filter(({ id }) => !superseded.includes(id));
      tried += deciding.length;
      if (deciding.length > 0) expect(status).toBe('NON-COMPLIANT');
    }),
    RUNS_FOR_EVERY_STATUS,
  );
  expect(tried).toBeGreaterThan(300);
});

it('every node has a reason, and a fix unless it is compliant', () => {
  fc.assert(
    fc.property(trail, (it) => {
      for (const node of allNodes(it)) {
        expect(node.because).not.toBe('');
        expect(node.needs).not.toBe('');
        if (node.status === 'COMPLIANT') expect(node.fix).toBeNull();
        else expect(node.fix?.length).toBeGreaterThan(0);
      }
    }),
    RUNS,
  );
});

it('findings equal the input', () => {
  fc.assert(
    fc.property(trail, (it) => {
      const given = new Map<string, number>([
        ...it.attestations.map((entry) => [entry.id, entry.receivedAt] as const),
        ...it.artifacts.map((entry) => [entry.id, entry.reportedAt] as const),
      ]);
      for (const found of allNodes(it).flatMap((node) => node.found)) expect(given.get(found.id)).toBe(found.at);
    }),
    RUNS,
  );
});

it('no report about an artifact is lost without a newer attestation', () => {
  fc.assert(
    fc.property(trail, (it) => {
      const { attestations, artifacts, unplaced } = judgeTrail(it);
      const slots = [...attestations, ...artifacts.flatMap((entry) => entry.attestations)];
      const shown = new Set([...slots, ...unplaced].map(({ attestationId }) => attestationId));
      for (const hidden of it.attestations.filter((entry) => entry.overrides === null && !shown.has(entry.id))) {
        const newer = it.attestations.some((entry) => entry.receipt > hidden.receipt && entry.name === hidden.name);
        expect(newer).toBe(true);
      }
    }),
    RUNS,
  );
});

it('never throws, whatever the texts and numbers are', () => {
  const text = fc.string({ unit: 'binary' });
  const wildTarget = fc.oneof(
    fc.constant<Target>({ kind: 'trail' }),
    fc.record({ kind: fc.constant('fingerprint' as const), fingerprint: text }),
    fc.record({ kind: fc.constant('named' as const), artifact: text, commit: text }),
  );
  const wildRequired = fc.array(fc.record({ name: text, type: text }), { maxLength: 3 });
  const wild: fc.Arbitrary<Trail> = fc.record({
    name: text,
    template: fc.record({
      attestations: wildRequired,
      artifacts: fc.array(fc.record({ name: text, attestations: wildRequired }), { maxLength: 3 }),
    }),
    autoCreated: fc.boolean(),
    attestations: fc.array(
      fc.record({
        id: text,
        receipt: fc.integer(),
        receivedAt: fc.double(),
        name: text,
        type: text,
        isCompliant: fc.boolean(),
        target: wildTarget,
        reasons: fc.array(text),
        overrides: fc.option(fc.record({ id: text, type: text, reason: text })),
      }),
    ),
    artifacts: fc.array(
      fc.record({
        id: text,
        receipt: fc.integer(),
        reportedAt: fc.double(),
        fingerprint: text,
        templateName: fc.option(text),
        commit: fc.option(text),
        filename: text,
      }),
    ),
  });
  fc.assert(
    fc.property(wild, (it) => {
      expect(Object.keys(BADNESS)).toContain(judgeTrail(it).status);
    }),
    { numRuns: 100 },
  );
});
