import { expect, it } from 'vitest';
import { growthOf, IN_PROPORTION } from '../../../tools/growth.ts';
import { decide } from './decide.ts';
import { artifactIn, failed, flow, IN_PRODUCTION, passed, policyOf } from './decide-examples.ts';
import type { ArtifactEvidence } from './evidence.ts';
import type { Policy } from './rule.ts';

interface Size {
  readonly flows: number;
  readonly attestations: number;
  readonly rules: number;
}

/** With enough attestations for four times the rules. */
const SMALL: Size = { flows: 8, attestations: 128, rules: 32 };
const TIMEOUT_MS = 60_000;

type Attest = typeof passed;

/** Every rule reads all of them in every flow. */
function evidenceOf({ flows, attestations }: Size, attest: Attest): ArtifactEvidence {
  const reports = Array.from({ length: attestations }, (_, number) => attest(`check-${number}`, 'generic'));
  return artifactIn(...Array.from({ length: flows }, (_, number) => flow(`flow-${number}`, ...reports)));
}

function policyOfRules({ rules }: Size, name: (number: number) => string): Policy {
  const asked = Array.from({ length: rules }, (_, number) => `{ name: '${name(number)}', type: generic }`);
  return policyOf(`attestations: [${asked.join(', ')}]`);
}

const CASES: readonly (readonly [string, Attest, (number: number) => string])[] = [
  ['pass', passed, (number) => `check-${number}`],
  ['fail for any rule', failed, () => '*'],
  ['nobody asks for', passed, (number) => `other-${number}`],
];

it.each(
  CASES.flatMap(([title, attest, name]) =>
    (['flows', 'attestations', 'rules'] as const).map((part) => [part, title, attest, name] as const),
  ),
)(
  'takes in proportion to the number of %s, with attestations that %s',
  { timeout: TIMEOUT_MS },
  (part, _, attest, name) => {
    const workOf = (count: number) => {
      const size = { ...SMALL, [part]: count };
      const [policy, evidence] = [policyOfRules(size, name), evidenceOf(size, attest)];
      return () => void decide(policy, { name: 'p', version: 1 }, evidence, IN_PRODUCTION);
    };
    expect(growthOf(workOf, SMALL[part])).toBeLessThan(IN_PROPORTION);
  },
);
