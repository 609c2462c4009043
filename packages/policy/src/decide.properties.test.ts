import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { decide } from './decide.ts';
import { contextKey, evidenceKey, readEvidence } from './decide-keys.ts';
import type { Judged } from './decision.ts';
import type { DecisionContext } from './decision-context.ts';
import type { ArtifactEvidence, AttestationEvidence, FlowEvidence, PullRequestEvidence } from './evidence.ts';
import { parsePolicy } from './parse-policy.ts';
import type { Policy, Scope } from './rule.ts';

const RUNS = { numRuns: 300 };
const IDENTITY = { name: 'prod', version: 3 };
const TRUST = ['claimed', 'api_key', 'workload_identity', 'signature'] as const;

/** Expressions, and what they mean in JavaScript. */
const MEANINGS: Readonly<Record<string, (scope: Scope) => boolean>> = {
  '${{ flow.tags.risk == "high" }}': ({ flow }) => flow?.tags['risk'] === 'high',
  '${{ flow.name == "a" }}': ({ flow }) => flow?.name === 'a',
  '${{ not exists(flow) }}': ({ flow }) => flow === null,
  '${{ environment.name == "prod" }}': ({ environment }) => environment?.name === 'prod',
  '${{ environment.tags.tier != "1" }}': ({ environment }) => environment?.tags['tier'] !== '1',
  '${{ artifact.name == "web" or flow.name == "b" }}': ({ artifact, flow }) =>
    artifact.name === 'web' || flow?.name === 'b',
};

/** Few words, so that names collide. */
const id = fc.nat().map(String);
const name = fc.constantFrom('tests', 'review', 'x');
const type = fc.constantFrom('junit', 'pull_request', 'decision');
const control = fc.constantFrom('C1', 'C2');
const user = fc.constantFrom('ada', 'Ada', 'bob', 'carol', 'dan');
const commit = fc.constantFrom('c1', 'c2');
const trust = fc.constantFrom(...TRUST);
const expression = fc.constantFrom(...Object.keys(MEANINGS));

const pullRequest: fc.Arbitrary<PullRequestEvidence> = fc.record({
  url: fc.constantFrom('https://code.example.com/7', 'https://code.example.com/8'),
  author: fc.option(user),
  headCommit: fc.option(commit, { freq: 9 }),
  commitAuthors: fc.array(user, { maxLength: 2 }),
  approvers: fc.array(
    fc.record({ user, commit: fc.option(commit), state: fc.constantFrom('APPROVED', 'approved', '', 'DISMISSED') }),
    { maxLength: 4 },
  ),
});
const attestation: fc.Arbitrary<AttestationEvidence> = fc.record({
  id,
  name,
  type,
  isCompliant: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  at: fc.nat(),
  isOverride: fc.boolean(),
  reasons: fc.array(fc.string(), { maxLength: 2 }),
  trust,
  control: fc.option(control),
  pullRequests: fc.option(fc.array(pullRequest, { maxLength: 2 })),
});
/** The newest of a name and type counts, and no two have the same id. */
const attestations = fc.uniqueArray(attestation, {
  comparator: (one, other) => one.id === other.id || (one.name === other.name && one.type === other.type),
  maxLength: 6,
});
const flow: fc.Arbitrary<FlowEvidence> = fc.record({
  flow: fc.record({
    id,
    name: fc.constantFrom('a', 'b', 'c'),
    tags: fc.dictionary(fc.constantFrom('risk', 'team', '7'), fc.constantFrom('high', 'low'), {
      noNullPrototype: true,
    }),
  }),
  trail: fc.record({ id, name: fc.string() }),
  artifactId: id,
  status: fc.constantFrom('COMPLIANT', 'COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'),
  because: fc.constantFrom('', 'Because', 'It is so.'),
  fix: fc.option(fc.constantFrom('Repair it.', 'Report it.')),
  attestations,
});
const evidence: fc.Arbitrary<ArtifactEvidence> = fc.record({
  fingerprint: fc.constantFrom('', 'f'.repeat(64)),
  flows: fc.uniqueArray(flow, { selector: (it) => it.flow.name, maxLength: 3 }),
});

const requirement = fc.record({
  required: fc.boolean(),
  exceptions: fc.array(fc.record({ if: expression }), { maxLength: 2 }),
});
const rule = fc
  .record(
    {
      name: fc.constantFrom('tests', 'review', 'x', '*'),
      type: fc.constantFrom('junit', 'pull_request', 'decision', '*'),
      if: expression,
      must_be_compliant: fc.boolean(),
      for_control: control,
      min_approvals: fc.integer({ min: 1, max: 3 }),
      min_trust: trust,
    },
    { requiredKeys: ['name', 'type'] },
  )
  .filter((it) => it.name !== '*' || it.type !== '*')
  .map(({ for_control, min_approvals, ...it }) => ({
    ...it,
    ...(for_control !== undefined && it.type === 'decision' ? { for_control } : {}),
    ...(min_approvals !== undefined && it.type === 'pull_request' ? { min_approvals } : {}),
  }));
const artifacts = fc.record({
  provenance: requirement,
  'trail-compliance': requirement,
  attestations: fc.array(rule, { maxLength: 3 }),
});
const policy = artifacts.map((it) => {
  const parsed = parsePolicy(JSON.stringify({ _schema: 'https://example.com/policy/v1', artifacts: it }));
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
});
const context: fc.Arbitrary<DecisionContext> = fc.record({
  artifactName: fc.constantFrom('web', 'api'),
  environment: fc.option(
    fc.record({
      name: fc.constantFrom('prod', 'test'),
      tags: fc.constantFrom<Record<string, string>>({}, { tier: '1' }),
    }),
  ),
});

/** A plain statement of each rule: true, false, or null when it does not apply. */
function expected({ document }: Policy, { fingerprint, flows }: ArtifactEvidence, at: DecisionContext) {
  const artifact = { name: at.artifactName, fingerprint };
  const says = (text: string, known: FlowEvidence | null) =>
    MEANINGS[text]?.({ flow: known === null ? null : known.flow, artifact, environment: at.environment }) ?? false;
  const { provenance, 'trail-compliance': trails, attestations: rules } = document.artifacts;
  const isWaived = ({ exceptions }: typeof provenance, known: FlowEvidence | null) =>
    exceptions.some((exception) => says(exception.if, known));

  const ofProvenance = () => (flows.length > 0 ? true : isWaived(provenance, null) ? null : false);

  const ofTrails = () => {
    if (flows.length === 0) return isWaived(trails, null) ? null : false;
    const states = flows.filter((it) => !isWaived(trails, it)).map((it) => it.status);
    if (states.length === 0) return null;
    return states.includes('COMPLIANT') && !states.includes('NON-COMPLIANT');
  };

  const ofRule = (asked: (typeof rules)[number]) => {
    const applies = (known: FlowEvidence | null) => asked.if === undefined || says(asked.if, known);
    if (flows.length === 0) return applies(null) ? false : null;
    const applicable = flows.filter(applies);
    if (applicable.length === 0) return null;
    const matches = applicable
      .flatMap((it) => it.attestations)
      .filter((it) => asked.name === '*' || asked.name === it.name)
      .filter((it) => asked.type === '*' || asked.type === it.type)
      .filter((it) => asked.for_control === undefined || asked.for_control === it.control);
    const isGood = (it: AttestationEvidence) =>
      (it.isCompliant || !asked.must_be_compliant) &&
      (asked.min_approvals === undefined || (it.isOverride && it.isCompliant) || isApproved(it, asked.min_approvals));
    const isTrusted = (it: AttestationEvidence) =>
      TRUST.indexOf(it.trust) >= TRUST.indexOf(asked.min_trust ?? 'claimed');
    return matches.every(isGood) && matches.some(isTrusted);
  };

  return [
    ...(provenance.required ? [ofProvenance()] : []),
    ...(trails.required ? [ofTrails()] : []),
    ...rules.map(ofRule),
  ];
}

function isApproved({ pullRequests }: AttestationEvidence, needed: number): boolean {
  const isEnough = ({ author, headCommit, commitAuthors, approvers }: PullRequestEvidence) => {
    const authors = [...commitAuthors, ...(author === null ? [] : [author])].map((it) => it.toLowerCase());
    const good = approvers
      .filter((it) => ['', 'approved'].includes(it.state.toLowerCase()))
      .filter((it) => it.commit === null || it.commit === headCommit)
      .map((it) => it.user.toLowerCase())
      .filter((it) => !authors.includes(it));
    return authors.length > 0 && new Set(good).size >= needed;
  };
  return pullRequests !== null && pullRequests.length > 0 && pullRequests.every(isEnough);
}

function judge(by: Policy, of: ArtifactEvidence, at: DecisionContext): Judged {
  return decide(by, IDENTITY, of, at);
}

it('agrees with a slow and plain evaluator', () => {
  const seen = { true: 0, false: 0, null: 0 };
  fc.assert(
    fc.property(policy, evidence, context, (by, of, at) => {
      const { status, ruleEvaluations, reasons } = judge(by, of, at);
      const verdicts = expected(by, of, at);
      for (const verdict of verdicts) seen[`${verdict}`] += 1;
      expect(ruleEvaluations.map((it) => it.satisfied)).toEqual(verdicts);
      expect(ruleEvaluations.map((it) => it.ignored)).toEqual(verdicts.map((verdict) => verdict === null));
      expect(status).toBe(verdicts.includes(false) ? 'NON-COMPLIANT' : 'COMPLIANT');
      expect(reasons.length === 0).toBe(status === 'COMPLIANT');
    }),
    { numRuns: 1500 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
});

it('every rule that is not satisfied has a reason, and no other', () => {
  fc.assert(
    fc.property(policy, evidence, context, (by, of, at) => {
      const { ruleEvaluations, reasons } = judge(by, of, at);
      const unsatisfied = ruleEvaluations.filter((it) => it.satisfied === false).map((it) => it.rule);
      expect(new Set(reasons.map((it) => it.rule))).toEqual(new Set(unsatisfied));
      for (const { message, fix } of reasons) {
        expect(message).toMatch(/^Policy 'prod' requires .+/);
        expect(fix).not.toBe('');
      }
    }),
    RUNS,
  );
});

const shuffled = evidence.chain((original) =>
  fc
    .tuple(
      fc.shuffledSubarray([...original.flows], { minLength: original.flows.length }),
      fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
    )
    .map(([flows, weights]) => ({
      original,
      other: {
        ...original,
        flows: flows.map((it) => ({
          ...it,
          flow: { ...it.flow, tags: Object.fromEntries(Object.entries(it.flow.tags).toReversed()) },
          attestations: it.attestations
            .map((entry, index) => ({ entry, weight: weights[index] ?? 0 }))
            .toSorted((a, b) => a.weight - b.weight)
            .map(({ entry }) => entry),
        })),
      },
    })),
);

it('the order of flows, attestations and tags does not matter', () => {
  fc.assert(
    fc.property(policy, shuffled, context, (by, { original, other }, at) => {
      expect(judge(by, other, at)).toEqual(judge(by, original, at));
      expect(evidenceKey(other)).toBe(evidenceKey(original));
    }),
    RUNS,
  );
});

it('an additional failing attestation never makes an artifact compliant', () => {
  let tried = 0;
  const demanding = policy.filter(({ rules }) => rules.every((it) => it.kind !== 'attestation' || it.mustBeCompliant));
  fc.assert(
    fc.property(demanding, evidence, attestation, fc.nat(), context, (by, of, entry, place, at) => {
      fc.pre(of.flows.length > 0 && judge(by, of, at).status === 'NON-COMPLIANT');
      const failing = { ...entry, isCompliant: false };
      const chosen = of.flows[place % of.flows.length];
      const flows = of.flows.map((it) => (it === chosen ? { ...it, attestations: [...it.attestations, failing] } : it));
      tried += 1;
      expect(judge(by, { ...of, flows }, at).status).toBe('NON-COMPLIANT');
    }),
    RUNS,
  );
  expect(tried).toBeGreaterThan(200);
});

it('evidence restored from a key is decided the same', () => {
  fc.assert(
    fc.property(policy, evidence, context, (by, of, at) => {
      const read = readEvidence(evidenceKey(of));
      expect(judge(by, read, at)).toEqual(judge(by, of, at));
      expect(evidenceKey(read)).toBe(evidenceKey(of));
    }),
    RUNS,
  );
});

it('contexts with the same key are decided the same', () => {
  let tried = 0;
  fc.assert(
    fc.property(policy, evidence, context, context, (by, of, one, other) => {
      fc.pre(contextKey(by, one) === contextKey(by, other));
      if (JSON.stringify(one) !== JSON.stringify(other)) tried += 1;
      expect(judge(by, of, one)).toEqual(judge(by, of, other));
    }),
    RUNS,
  );
  expect(tried).toBeGreaterThan(20);
});

it('deciding again gives the same, whatever was decided in between', () => {
  fc.assert(
    fc.property(policy, evidence, evidence, context, (by, of, another, at) => {
      const first = structuredClone(judge(by, of, at));
      judge(by, another, at);
      expect(judge(by, of, at)).toEqual(first);
    }),
    RUNS,
  );
});

interface Question {
  readonly by: Policy;
  readonly of: ArtifactEvidence;
  readonly at: DecisionContext;
}

/** Every policy about every artifact, in two orders. */
const questions = fc
  .tuple(
    fc.array(policy, { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(evidence, context), { minLength: 2, maxLength: 4 }),
  )
  .map(([policies, artifacts]) => policies.flatMap((by) => artifacts.map(([of, at]): Question => ({ by, of, at }))))
  .chain((inOrder) =>
    fc.record({
      inOrder: fc.constant(inOrder),
      inAnother: fc.shuffledSubarray(inOrder, { minLength: inOrder.length }),
    }),
  );

it('many artifacts are decided the same in any order, with any policies in between', () => {
  const answers = (asked: readonly Question[]) =>
    new Map(asked.map((question) => [question, judge(question.by, question.of, question.at)]));
  fc.assert(
    fc.property(questions, ({ inOrder, inAnother }) => {
      const first = answers(inOrder);
      const before = structuredClone([...first.values()]);
      const second = answers(inAnother);
      for (const question of inOrder) expect(second.get(question)).toEqual(first.get(question));
      expect([...first.values()]).toEqual(before);
    }),
    RUNS,
  );
});
