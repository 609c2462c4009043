import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import { artifactIn, asking, decision, failed, flow, IN_PRODUCTION, passed, policyOf } from './decide-examples.ts';
import type { ArtifactEvidence, FlowEvidence } from './evidence.ts';
import { actionsFor, fixesOf, overridesIn } from './explain-actions.ts';
import type { Policy } from './rule.ts';

const all = (...fixes: string[]) => [fixes];
const one = (...fixes: string[]) => fixes.map((fix) => [fix]);

describe('the fewest actions', () => {
  it('are listed once each, with the subjects they help, most helpful first', () => {
    expect(
      actionsFor([
        ['api', [all('b')]],
        ['web', [all('a'), all('b')]],
      ]),
    ).toEqual([
      { fix: 'b', subjects: ['api', 'web'] },
      { fix: 'a', subjects: ['web'] },
    ]);
  });

  it('prefer an action that is needed anyway where one of several is enough', () => {
    expect(
      actionsFor([
        ['api', [one('a', 'b')]],
        ['web', [all('b')]],
      ]),
    ).toEqual([{ fix: 'b', subjects: ['api', 'web'] }]);
  });

  it('else prefer what helps most, and of equals the first by text', () => {
    expect(
      actionsFor([
        ['api', [one('a', 'c')]],
        ['job', [one('b', 'c')]],
        ['web', [one('z', 'y')]],
      ]),
    ).toEqual([
      { fix: 'c', subjects: ['api', 'job'] },
      { fix: 'y', subjects: ['web'] },
    ]);
  });

  it('prefer the option that adds the least, of options with several parts', () => {
    const ways = [['a', 'b'], ['c']];
    expect(actionsFor([['web', [ways]]])).toEqual([{ fix: 'c', subjects: ['web'] }]);
    expect(actionsFor([['web', [all('a', 'b'), ways]]])).toEqual([
      { fix: 'a', subjects: ['web'] },
      { fix: 'b', subjects: ['web'] },
    ]);
  });
});

const identity = { name: 'prod', version: 1 };
const judge = (policy: Policy, evidence: ArtifactEvidence) => decide(policy, identity, evidence, IN_PRODUCTION);
const toDo = (evidence: ArtifactEvidence, ...policies: Policy[]) =>
  actionsFor([['web', fixesOf(policies.map((policy) => judge(policy, evidence)))]]).map(({ fix }) => fix);

it('a rule requires all failures fixed, and one of the missing', () => {
  const of = (...flows: FlowEvidence[]) => fixesOf([judge(TESTS, artifactIn(...flows))]);
  const fails = (name: string) => flow(name, failed('unit-tests', 'junit'));
  expect(of(fails('a'), fails('b'), flow('c'))).toMatchObject([[{ length: 2 }]]);
  expect(of(flow('a'), flow('b'))).toMatchObject([[{ length: 1 }, { length: 1 }]]);
  expect(of(flow('a', passed('unit-tests', 'junit')))).toEqual([]);
});

const TESTS = asking('{ name: unit-tests, type: junit }');
const TRAIL = policyOf('trail-compliance: { required: true }');
const PLACE = "in trail 'release-7' of flow 'web'";
const REPAIR = `Run and fix the tests and report 'unit-tests' again ${PLACE}, or override it with a reason.`;
const REPAIR_IN_TRAIL =
  "Run and fix the tests and report 'unit-tests' again on artifact 'web', or override it with a reason.";
const LINT_IN_TRAIL = "Fix what 'lint' found and report 'lint' again, or override it with a reason.";

const advising = (fix: string, it: FlowEvidence, status: FlowEvidence['status'] = 'NON-COMPLIANT') =>
  artifactIn({ ...it, status, fix });

describe('a requirement of both a trail and a rule', () => {
  const failing = flow('web', failed('unit-tests', 'junit'));

  it('is one action, in the words of the rule', () => {
    const evidence = advising(REPAIR_IN_TRAIL, failing);
    expect(toDo(evidence, TRAIL, TESTS)).toEqual([REPAIR]);
    expect(toDo(evidence, TRAIL)).toEqual([REPAIR_IN_TRAIL]);
  });

  it('is separate from other requirements of the trail', () => {
    const evidence = advising(`${REPAIR_IN_TRAIL} ${LINT_IN_TRAIL}`, failing);
    expect(toDo(evidence, TRAIL, TESTS)).toEqual([LINT_IN_TRAIL, REPAIR]);
    const more = 'Then fix 2 more problems.';
    expect(toDo(advising(`${REPAIR_IN_TRAIL} ${LINT_IN_TRAIL} ${more}`, failing), TRAIL, TESTS)).toEqual([
      `${LINT_IN_TRAIL} ${more}`,
      REPAIR,
    ]);
  });

  it('has one name and type', () => {
    const other = "Fix what 'unit-tests' found and report 'unit-tests' again, or override it with a reason.";
    expect(toDo(advising(other, failing), TRAIL, TESTS)).toEqual([other, REPAIR]);
  });

  it('may be missing, or be a decision', () => {
    const inTrail = "Report an attestation named 'unit-tests' of type junit on artifact 'web'.";
    expect(toDo(advising(inTrail, flow('web'), 'INCOMPLETE'), TRAIL, TESTS)).toEqual([
      `Report an attestation named 'unit-tests' of type junit on the artifact ${PLACE}.`,
    ]);
    const anew = "Decide the control again and report 'release' again, or override it with a reason.";
    const decided = asking('{ type: decision, for_control: SDLC-7 }');
    expect(toDo(advising(anew, flow('web', decision('SDLC-7', false))), TRAIL, decided)).toEqual([
      `Decide control 'SDLC-7' again and report 'release' again ${PLACE}, or override it with a reason.`,
    ]);
  });

  it('has the name that the trail requires where the rule accepts any', () => {
    const inTrail = "Report an attestation named 'parts' of type sbom on artifact 'web'.";
    const evidence = advising(inTrail, flow('web'), 'INCOMPLETE');
    expect(toDo(evidence, TRAIL, asking('{ type: sbom }'))).toEqual([inTrail]);
    expect(toDo(evidence, TRAIL, asking('{ type: junit }'))).toHaveLength(2);
  });

  it('is done in the flow whose trail requires it, where one flow is enough', () => {
    const inTrail = "Report an attestation named 'unit-tests' of type junit on artifact 'web'.";
    const evidence = artifactIn(flow('a'), { ...flow('web'), status: 'NON-COMPLIANT', fix: inTrail });
    expect(toDo(evidence, TRAIL, TESTS)).toEqual([
      `Report an attestation named 'unit-tests' of type junit on the artifact ${PLACE}.`,
    ]);
  });
});

describe('an override', () => {
  const overridable = (evidence: ArtifactEvidence, ...policies: Policy[]) => [
    ...overridesIn(policies.map((policy) => judge(policy, evidence))),
  ];

  it('is of the evidence that fails, under the words of the action', () => {
    const evidence = failed('unit-tests', 'junit');
    const expected = [[REPAIR, [evidence.id]]];
    expect(overridable(artifactIn(flow('web', evidence)), TESTS, TESTS)).toEqual(expected);
    expect(overridable(advising(REPAIR_IN_TRAIL, flow('web', evidence)), TRAIL, TESTS)).toEqual(expected);
  });

  it('helps neither what is missing nor what a trail fails for', () => {
    expect(overridable(artifactIn(flow('web')), TESTS)).toEqual([]);
    expect(overridable(advising(REPAIR_IN_TRAIL, flow('web', failed('unit-tests', 'junit'))), TRAIL)).toEqual([]);
    expect(overridable(artifactIn(flow('web', passed('unit-tests', 'junit'))), TESTS)).toEqual([]);
  });
});

it('a report of the artifact is one action, whatever requires it', () => {
  const provenance = policyOf('provenance: { required: true }');
  expect(toDo(artifactIn(), provenance, TRAIL, TESTS)).toEqual([
    'Report artifact 4f2a4f2a4f2a to the flow that builds it.',
  ]);
  expect(toDo(artifactIn(), provenance)).toEqual([
    "Report artifact 4f2a4f2a4f2a to the flow that builds it, or add an exception to provenance in policy 'prod'.",
  ]);
});
