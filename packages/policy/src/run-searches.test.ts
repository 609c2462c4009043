import { describe, expect, it } from 'vitest';
import { decide, decideInSlices } from './decide.ts';
import { artifactIn, flow, IN_PRODUCTION, tagged } from './decide-examples.ts';
import { explainPolicy } from './explain-policy.ts';
import { createJudgingMemory } from './judging-memory.ts';
import { parsePolicy, parseStoredPolicy } from './parse-policy.ts';
import type { Policy } from './rule.ts';

const IDENTITY = { name: 'vendors', version: 3 };
const HEAD = '_schema: https://example.com/policy/v1\nartifacts:\n';

/** Takes 31 ms on a name of 500 characters. */
const COSTLY = String.raw`[aж][^b]{0,1}\pL{480}\d`;

function textOf(...conditions: readonly string[]): string {
  const exceptions = conditions.map((condition) => `      - if: '\${{ ${condition} }}'\n`).join('');
  return `${HEAD}  provenance:\n    required: true\n    exceptions:\n${exceptions}`;
}

function stored(...conditions: readonly string[]): Policy {
  const parsed = parseStoredPolicy(textOf(...conditions));
  if ('problems' in parsed) throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
  return parsed.policy;
}

describe('a stored policy whose patterns are larger than a new one may have them', () => {
  const condition = `matches(artifact.name, "${COSTLY}")`;

  it('can be read, while saving it is refused', () => {
    expect(parsePolicy(textOf(condition))).toHaveProperty('problems');
    expect(parseStoredPolicy(textOf(condition))).toHaveProperty('policy');
  });

  it('is not decided, and says so', () => {
    const evidence = artifactIn(flow('web'));
    const judged = decide(stored(condition), IDENTITY, evidence, IN_PRODUCTION);
    expect(judged).toMatchObject({ status: 'NON-COMPLIANT', ruleEvaluations: [] });
    expect(judged.reasons).toMatchObject([
      {
        resolution: 'not_decided',
        policy_name: 'vendors',
        policy_version: 3,
        message: expect.stringContaining(
          "Policy 'vendors' was not decided: its patterns would take more than 4,000,000",
        ),
        fix: expect.stringContaining('"=="'),
      },
    ]);
    const explained = explainPolicy('artifact', {
      policy: stored(condition),
      identity: IDENTITY,
      evidence,
      judged,
    });
    expect(explained).toMatchObject({
      status: 'NON-COMPLIANT',
      because: expect.stringContaining('not decided'),
      fix: expect.stringContaining('smaller'),
    });
  });

  it('still has to be in the syntax of patterns', () => {
    expect(parseStoredPolicy(textOf('matches(artifact.name, "(")'))).toHaveProperty('problems');
  });
});

describe('the steps of one decision', () => {
  const searching = stored(...[180, 190].map((size) => String.raw`matches(flow.tags.note, "\pL{${size}}x")`));
  const inFlows = (count: number, length: number) =>
    artifactIn(
      ...Array.from({ length: count }, (_, number) =>
        tagged({ note: `${number}`.padEnd(length, 'é') }, flow(`flow-${number}`)),
      ),
    );

  it('are counted over all flows, and a decision that would take too many is not made', () => {
    expect(decide(searching, IDENTITY, inFlows(5, 2000), IN_PRODUCTION).status).toBe('COMPLIANT');
    expect(decide(searching, IDENTITY, inFlows(6, 2000), IN_PRODUCTION).reasons).toMatchObject([
      { resolution: 'not_decided' },
    ]);
  });

  it('count a text once, in however many flows it stands', () => {
    const same = artifactIn(
      ...Array.from({ length: 1000 }, (_, number) => tagged({ note: 'é'.repeat(2000) }, flow(`flow-${number}`))),
    );
    expect(decide(searching, IDENTITY, same, IN_PRODUCTION).status).toBe('COMPLIANT');
  });

  it('leave room for ordinary patterns on a thousand flows', () => {
    const ordinary = stored('matches(flow.name, "^(payments|orders)-[a-z0-9-]+$")', 'matches(flow.name, "-legacy$")');
    const flows = Array.from({ length: 1000 }, (_, number) => flow(`orders-service-number-${number}`));
    expect(decide(ordinary, IDENTITY, artifactIn(...flows), IN_PRODUCTION).status).toBe('COMPLIANT');
  });
});

it('other work can run after each search and each rule', () => {
  const conditions = Array.from({ length: 8 }, (_, number) => `matches(artifact.name, "^vendor-${number}/")`);
  const context = { ...IN_PRODUCTION, artifactName: 'vendor-7/web' };
  const slices = decideInSlices(stored(...conditions), IDENTITY, artifactIn(), context, createJudgingMemory());
  let count = 0;
  let next = slices.next();
  while (!next.done) {
    count += 1;
    next = slices.next();
  }
  expect(count).toBeGreaterThanOrEqual(8 + 1);
  expect(next.value.status).toBe('COMPLIANT');
});
