import { expect, it } from 'vitest';
import { decide } from './decide.ts';
import { artifactIn, failed, flow, IN_PRODUCTION, passed, policyOf } from './decide-examples.ts';
import type { ArtifactEvidence } from './evidence.ts';
import type { Policy } from './rule.ts';

interface Size {
  readonly flows: number;
  readonly attestations: number;
  readonly rules: number;
}

const SMALL: Size = { flows: 16, attestations: 64, rules: 32 };
const MEASUREMENTS = 5;
/** Processor time is counted in steps of some milliseconds. */
const LONG_ENOUGH_MS = 40;
/** Twice the work takes twice as long; the rest is for what the machine does besides. */
const AT_MOST = 2.5;
const TIMEOUT_MS = 60_000;

type Attest = typeof passed;

/** Every rule looks at all of them in every flow. */
function evidenceOf({ flows, attestations }: Size, attest: Attest): ArtifactEvidence {
  const reports = Array.from({ length: attestations }, (_, number) => attest(`check-${number}`, 'generic'));
  return artifactIn(...Array.from({ length: flows }, (_, number) => flow(`flow-${number}`, ...reports)));
}

function policyOfRules({ rules }: Size, name: (number: number) => string): Policy {
  const asked = Array.from({ length: rules }, (_, number) => `{ name: '${name(number)}', type: generic }`);
  return policyOf(`attestations: [${asked.join(', ')}]`);
}

/** Milliseconds of processor time: a clock would also count what else the machine does. */
function costOf(work: () => void, rounds: number): number {
  const start = process.threadCpuUsage();
  for (let round = 0; round < rounds; round++) work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

function roundsFor(work: () => void): number {
  for (let rounds = 1; ; rounds *= 2) if (costOf(work, rounds) >= LONG_ENOUGH_MS) return rounds;
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** One after the other each time, so that both are measured on a machine that is equally busy. */
function growth(small: () => void, large: () => void): number {
  costOf(large, 10);
  const rounds = roundsFor(small);
  return medianOf(Array.from({ length: MEASUREMENTS }, () => costOf(large, rounds) / costOf(small, rounds)));
}

const CASES: readonly (readonly [string, Attest, (number: number) => string])[] = [
  ['pass', passed, (number) => `check-${number}`],
  ['fail for any rule', failed, () => '*'],
  ['nobody asks for', passed, (number) => `other-${number}`],
];

it.each(
  CASES.flatMap(([told, attest, name]) =>
    (['flows', 'attestations', 'rules'] as const).map((part) => [part, told, attest, name] as const),
  ),
)(
  'takes in proportion to the number of %s, with attestations that %s',
  // What is not in proportion is so each time; what a busy machine delays is not.
  { timeout: TIMEOUT_MS, retry: 2 },
  (part, _, attest, name) => {
    const workOf = (size: Size) => {
      const [policy, evidence] = [policyOfRules(size, name), evidenceOf(size, attest)];
      // A copy, as what was worked out about an artifact is remembered until another one comes.
      return () => void decide(policy, { name: 'p', version: 1 }, { ...evidence }, IN_PRODUCTION);
    };
    expect(growth(workOf(SMALL), workOf({ ...SMALL, [part]: 2 * SMALL[part] }))).toBeLessThan(AT_MOST);
  },
);
