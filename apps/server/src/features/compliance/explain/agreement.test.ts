import { hash } from 'node:crypto';
import {
  type DecisionContext,
  decide,
  explainPolicy,
  instantOf,
  type Judged,
  type PolicyExplanation,
  parsePolicy,
  readEvidence,
  readReading,
} from '@waymark/policy';
import { expect, it } from 'vitest';
import { isFull } from '../../../../../../tools/test-size.ts';
import { randomContext, randomEvidence, randomPolicy, randomReadings } from '../../../../test/given/random-policies.ts';
import { noLog, startApi } from '../../../../test/harness.ts';
import { createRandom } from '../../../../test/model/random.ts';
import { inTransaction, systemCtx } from '../../../platform/ctx.ts';
import { inSlices } from '../../../platform/slices.ts';
import { createJudge } from '../../back-tests/judge-again.ts';
import { insertReading } from '../../readings/reading.store.ts';
import { createJudging, type Decision, type KnownEvidence, known } from '../../runtime-verdicts/judge.service.ts';
import { storeDecisions } from '../../runtime-verdicts/store-decisions.service.ts';

const CASES = isFull ? 100_000 : 5_000;
const CASES_OF_POLICY = 100;
/** Evidence is recorded in the first 1,000,000 seconds, so that some of it is too old. */
const NOW_MAX = 2_000_000;
const SEED = Number(process.env['WAYMARK_MODEL_SEED'] ?? 5);

const api = await startApi();
const ctx = systemCtx(api.db, api.org.id, 'tests', noLog);

const idsOf = ({ id, children }: PolicyExplanation): string[] => [id, ...children.flatMap(idsOf)];

it(`all judges agree on ${CASES} random cases`, { timeout: isFull ? 3_600_000 : 600_000 }, async () => {
  const random = createRandom(SEED);
  const texts = randomReadings(random);
  for (const [id, content] of texts) await insertReading(api.db, { org_id: api.org.id, id, content });
  const readings = new Map(Array.from(texts, ([id, text]) => [id, readReading(text)]));
  const statuses = { COMPLIANT: 0, 'NON-COMPLIANT': 0 };
  for (let done = 0; done < CASES; done += CASES_OF_POLICY) {
    const parsed = parsePolicy(randomPolicy(random));
    if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
    const { policy } = parsed;
    const identity = { name: 'random', version: 1 };
    const applied = { policyId: ctx.newId(), ...identity, policy };
    const judging = createJudging();
    const cases: { evidence: KnownEvidence; context: DecisionContext; now: number; decision: Decision | undefined }[] =
      [];
    for (let i = 0; i < CASES_OF_POLICY; i++) {
      const evidence = known(randomEvidence(random, hash('sha256', `${done + i}`), texts));
      const where = randomContext(random);
      const now = random.below(NOW_MAX);
      const at = instantOf(policy, evidence.evidence, now, readings);
      const context = { ...where, readings, ...(at !== null && { at }) };
      const [decision] = await inSlices(ctx, judging.judge([applied], evidence, { ...where, now, readings }));
      cases.push({ evidence, context, now, decision });
    }
    await inTransaction(ctx, (ctx) =>
      storeDecisions(ctx, { sets: [], states: cases.map(({ evidence }) => evidence), decisions: [] }),
    );
    const simulated = await createJudge({ policy, identity, policyId: null })(
      ctx,
      cases.map(({ evidence, context: { artifactName, environment }, now }) => {
        const during = { from: now, until: now };
        const context = { artifactName, environment };
        return { fingerprint: evidence.evidence.fingerprint, evidenceId: evidence.id, context, during };
      }),
    );
    for (const [i, { evidence, context, decision }] of cases.entries()) {
      const alone = decide(policy, identity, evidence.evidence, context);
      const explained = { policy, identity };
      const live = explainPolicy('x', { ...explained, evidence: evidence.evidence, judged: alone });
      const stored = explainPolicy('x', {
        ...explained,
        evidence: readEvidence(evidence.content),
        judged: JSON.parse(JSON.stringify(decision?.judged)) as Judged,
      });
      const simulatedReasons = JSON.parse(simulated[i]?.[0]?.outcome ?? '[]') as unknown;
      const about = `seed ${SEED}, case ${done + i}`;
      expect(decision?.judged, about).toEqual(alone);
      expect(stored, about).toEqual(live);
      expect(live.status, about).toBe(alone.status);
      expect(new Set(idsOf(live)).size, about).toBe(idsOf(live).length);
      expect(simulatedReasons, about).toEqual(alone.reasons);
      statuses[alone.status]++;
    }
  }
  // Cases with one and the same result would prove little.
  expect(Math.min(statuses.COMPLIANT, statuses['NON-COMPLIANT'])).toBeGreaterThan(CASES / 10);
});
