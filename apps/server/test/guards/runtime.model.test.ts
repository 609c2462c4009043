import { it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { startApi } from '../harness.ts';
import type { Checks } from '../model/asking.ts';
import * as check from '../model/checks.ts';
import { checkAllDeployments, checkDeployments } from '../model/deployment-checks.ts';
import { differenceOf } from '../model/difference.ts';
import { perform } from '../model/driver.ts';
import { firstOperations, nextOperation, type Operation } from '../model/operations.ts';
import { createRandom } from '../model/random.ts';
import { activeOf, type Environment, type RuntimeModel } from '../model/runtime-model.ts';
import { checkTimeline } from '../model/timeline-checks.ts';

/*
 * Snapshots are kept as intervals, in which it is easy to be off by one. Here the same random operations go to the
 * service and to a model that keeps every snapshot as a whole, and all that can be read must be the same.
 * WAYMARK_MODEL_SEED and WAYMARK_MODEL_OPERATIONS repeat a failure.
 */

const OPERATIONS = Number(process.env['WAYMARK_MODEL_OPERATIONS'] ?? (isFull ? 10_000 : 240));
const EVERYTHING_EVERY = 2_500;
/** Of each kind, for each environment, at the end. */
const QUESTIONS = isFull ? 50 : 10;
const BEGINNING = Date.parse('2026-01-31T10:00:00.500Z');
const SEED = Number(process.env['WAYMARK_MODEL_SEED'] ?? 20_261_101);

const api = await startApi();

it(`shows after ${OPERATIONS} random operations what a plain model shows`, { timeout: 3_600_000 }, async () => {
  const random = createRandom(SEED);
  const model: RuntimeModel = {
    now: BEGINNING,
    flows: [],
    reports: [],
    indexes: new Map(),
    attestations: [],
    policies: new Map(),
    environments: [],
  };
  api.clock.now = new Date(model.now);
  // Separate, so that another check does not change the operations that follow.
  const checks = { api, model, random: createRandom(SEED + 1) };
  let step = 0;
  let operation: Operation | undefined;
  try {
    for (const first of firstOperations()) await perform(api, model, first);
    for (step = 1; step <= OPERATIONS; step++) {
      operation = nextOperation(random, model);
      const { expected, actual, changed } = await perform(api, model, operation);
      const difference = differenceOf(expected, actual);
      if (difference !== undefined) throw new Error(difference);
      for (const environment of changed ?? []) await checkLatest(checks, environment);
      await checkSomething(checks);
      if (step % EVERYTHING_EVERY === 0) await checkEverything(checks);
    }
    operation = undefined;
    await checkEverything(checks);
  } catch (error) {
    throw new Error(`seed ${SEED}, operation ${step}: ${JSON.stringify(operation)}\n${(error as Error).message}`, {
      cause: error,
    });
  }
});

async function checkLatest(checks: Checks, environment: Environment): Promise<void> {
  // Later events must not change what earlier snapshots show.
  const shown = environment.snapshots.slice(-2);
  await Promise.all(shown.map((snapshot) => check.checkSnapshotByNumber(checks, environment, snapshot)));
}

/** A little of everything, so that a difference is found close to where it began. */
async function checkSomething(checks: Checks): Promise<void> {
  const { model, random } = checks;
  const environment = random.pick(activeOf(model));
  switch (
    random.weighted({
      nothing: 4,
      snapshot: 2,
      expressions: 1,
      list: 1,
      diff: 1,
      events: 2,
      audit: 1,
      deployments: 1,
      timeline: 1,
      record: 1,
    })
  ) {
    case 'nothing':
      break;
    case 'snapshot':
      if (environment.snapshots.length > 0) {
        await check.checkSnapshot(checks, environment, random.pick(environment.snapshots));
      }
      break;
    case 'expressions':
      if (environment.type !== 'logical') await check.checkExpressions(checks, environment);
      break;
    case 'list':
      if (environment.type !== 'logical') await check.checkList(checks, environment);
      break;
    case 'diff':
      await check.checkDiff(checks);
      break;
    case 'events':
      await check.checkEvents(checks, environment);
      break;
    case 'audit':
      await check.checkAuditLog(checks, environment);
      break;
    case 'deployments':
      await checkDeployments(checks);
      break;
    case 'timeline':
      if (environment.type !== 'logical') await checkTimeline(checks, environment);
      break;
    case 'record':
      await check.checkEnvironment(checks, environment);
      break;
  }
}

async function checkEverything(checks: Checks): Promise<void> {
  await checkAllDeployments(checks);
  for (const environment of activeOf(checks.model)) {
    await check.checkEnvironment(checks, environment);
    await check.checkAllEvents(checks, environment);
    await check.checkAuditLog(checks, environment, true);
    if (environment.type === 'logical') continue;
    for (const snapshot of environment.snapshots) await check.checkSnapshot(checks, environment, snapshot);
    for (let i = 0; i < QUESTIONS; i++) {
      await check.checkExpressions(checks, environment);
      await check.checkList(checks, environment);
      await check.checkEvents(checks, environment);
      await check.checkAuditLog(checks, environment);
      await check.checkDiff(checks);
      await checkTimeline(checks, environment);
    }
  }
}
