import { type Flip, simulatePolicy } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFull } from '../../../../../tools/test-size.ts';
import { givenDailyHistory, isTested } from '../../../test/given/daily-history.ts';
import { attestationPolicy } from '../../../test/given/policies.ts';
import { costlyIn, rowsRead } from '../../../test/guards/plans/costly.ts';
import { openExplainer } from '../../../test/guards/plans/explained.ts';
import { noLog, startApi } from '../../../test/harness.ts';
import { systemCtx } from '../../platform/ctx.ts';
import { simulate } from './back-test.service.ts';
import { readBackTest } from './back-test.ts';

const [DAYS, ARTIFACTS] = isFull ? [365, 50] : [120, 20];
const RUNS = DAYS * ARTIFACTS;

const api = await startApi();
const explainer = openExplainer(api.ownerUrl);
const policy_yaml = attestationPolicy('{ name: tests, type: generic }');
const daysAgo = (days: number) => api.clock.now.getTime() / 1000 - days * 86_400;

beforeAll(() => givenDailyHistory(api, { days: DAYS, artifacts: ARTIFACTS }), 300_000);
afterAll(() => explainer.close());

function simulated(environment: string) {
  return api.call(simulatePolicy, {
    body: { policy_yaml, environments: [environment], from_timestamp: daysAgo(DAYS) },
  });
}

const flipped = (flips: readonly Flip[]) => flips.map(({ snapshot_index, artifact }) => [snapshot_index, artifact]);

describe(`${DAYS} days of ${ARTIFACTS} artifacts`, () => {
  it('have the same result on recorded and on current evidence', async () => {
    const judged = await simulated('judged');
    const unjudged = await simulated('unjudged');
    const untested = Array.from({ length: RUNS }, (_, i) => i).filter((i) => !isTested(i));
    expect(judged.body).toMatchObject({ evaluated: RUNS, truncated: false });
    expect(judged.body.flips).toHaveLength(untested.length);
    expect(judged.body.flips[0]).toMatchObject({ from: 'compliant', to: 'non-compliant', evidence: 'recorded' });
    expect(unjudged.body.flips[0]).toMatchObject({ from: 'unknown', to: 'non-compliant', evidence: 'present' });
    expect(flipped(unjudged.body.flips)).toEqual(flipped(judged.body.flips));
    expect(judged.body.environments).toEqual([
      { environment: 'judged', snapshots: DAYS, would_fail: DAYS, fails_now: 0 },
    ]);
  }, 300_000);

  it('are not all read for a back-test of one week', async () => {
    const explained = await explainer.explain(async (db) => {
      const ctx = { ...systemCtx(db, api.org.id, 'tests', noLog), now: () => api.clock.now };
      const input = { policy_yaml, environments: ['judged'] };
      const backTest = await readBackTest(ctx, {
        ...input,
        from_timestamp: daysAgo(DAYS / 2 + 7),
        to_timestamp: daysAgo(DAYS / 2),
      });
      const never = new AbortController().signal;
      const answer = await simulate(ctx, backTest, { stopped: never, deadline: never, tell: async () => undefined });
      expect(answer.evaluated).toBe(8 * ARTIFACTS);
    });
    // There is too little evidence here for an index to pay off.
    const simulated = explained.filter(({ statement }) =>
      /_simulated_(?!states)|_interval_bounds$|_runs_at_first$/.test(statement ?? ''),
    );
    expect(simulated.length).toBeGreaterThanOrEqual(6);
    const costly = simulated.flatMap(({ name, plan }) => {
      const read = rowsRead(plan);
      return [...costlyIn(plan), ...(read > 2 * 8 * ARTIFACTS + 10 ? [`${read} rows`] : [])].map(
        (it) => `${name}: ${it}`,
      );
    });
    expect(costly).toEqual([]);
  });
});
