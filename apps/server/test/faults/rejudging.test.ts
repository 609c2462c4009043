import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { timeFlip } from '../../../../tools/bench/rejudge/flip.ts';
import { startTraffic } from '../../../../tools/bench/rejudge/traffic.ts';
import { isFull } from '../../../../tools/test-size.ts';
import { replayDecisions } from '../../src/features/runtime-verdicts/replay.reads.ts';
import type { Db } from '../../src/platform/db/db.ts';
import {
  countEnvironments,
  countWaiting,
  ENVIRONMENTS,
  type FleetSite,
  fleetFaults,
  givenFleet,
  snapshotsMade,
  untilRested,
} from './fleet.ts';

const FLIPS = isFull ? 12 : 2;
const KILLS = isFull ? 12 : 2;
const REVIEWS = isFull ? 120 : 12;
/** For a machine without other load, which only the full form can assume. */
const CEILING_MS = 2_000;

const complianceOf = (isCompliant: boolean) => (isCompliant ? 'compliant' : 'non-compliant');

/** The verdicts that a series of reviews leads to; the first one approves. */
function alternating(count: number, cause = 'evidence'): string[] {
  return Array.from({ length: count }, (_, i) => `${cause}: ${complianceOf(i % 2 === 0)}`);
}

function flip({ site, org, fleet }: FleetSite, isCompliant: boolean): Promise<number[]> {
  const count = () => countEnvironments(site.db, org, complianceOf(isCompliant));
  return timeFlip(() => fleet.review(isCompliant), count, ENVIRONMENTS);
}

/** Every decision is reproduced as stored, whoever made it and whatever happened meanwhile. */
async function expectSameAgain(db: Db): Promise<void> {
  const { replayed, differences, otherEngines } = await replayDecisions(db);
  expect({ differences, otherEngines }).toEqual({ differences: 0, otherEngines: 0 });
  expect(replayed).toBeGreaterThan(0);
}

it(`makes one snapshot in each of ${ENVIRONMENTS} environments for an attestation about what they run`, async ({
  annotate,
}) => {
  const given = await givenFleet();
  const { site, org, fleet } = given;
  const traffic = await startTraffic(fleet);

  const taken: number[] = [];
  for (let i = 0; i < FLIPS; i++) taken.push(...(await flip(given, i % 2 === 0)));
  await fleet.review(FLIPS % 2 === 1);
  await traffic.stop();
  await untilRested(site.db);

  expect(await snapshotsMade(site.db, org)).toEqual([{ made: alternating(FLIPS), environments: ENVIRONMENTS }]);
  expect(await fleetFaults(site.db, org)).toEqual([]);
  await expectSameAgain(site.db);
  taken.sort((a, b) => a - b);
  const at = (share: number) => Math.round(taken[Math.ceil(taken.length * share) - 1] ?? Number.NaN);
  await annotate(
    `${FLIPS} changes of ${ENVIRONMENTS} environments among ${traffic.calls} other calls: ` +
      `median ${at(0.5)} ms, p99 ${at(0.99)} ms, last ${at(1)} ms after the acknowledgement`,
  );
  if (isFull) expect(at(0.99)).toBeLessThan(CEILING_MS);
});

it(`loses and repeats no verdict when one of two workers is killed ${KILLS} times while they judge`, async ({
  annotate,
}) => {
  const given = await givenFleet();
  const { site, org, fleet, workers } = given;

  const doneAtKill: number[] = [];
  const slowest: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const isCompliant = kill % 2 === 0;
    const victim = kill % 2;
    const review = async () => {
      await fleet.review(isCompliant);
      doneAtKill.push(await killHalfWay(given, victim, isCompliant));
    };
    const count = () => countEnvironments(site.db, org, complianceOf(isCompliant));
    slowest.push((await timeFlip(review, count, ENVIRONMENTS)).at(-1) ?? Number.NaN);
    workers[victim] = await site.startWorker();
    await untilRested(site.db);
  }

  expect(await snapshotsMade(site.db, org)).toEqual([{ made: alternating(KILLS), environments: ENVIRONMENTS }]);
  expect(await fleetFaults(site.db, org)).toEqual([]);
  await expectSameAgain(site.db);
  expect(Math.min(...doneAtKill)).toBeLessThan(ENVIRONMENTS);
  await annotate(
    `judged when the worker was killed: ${doneAtKill.join(', ')} of ${ENVIRONMENTS}; ` +
      `all judged ${slowest.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')} after the kill`,
  );
});

/** Kills when environments wait, or some are done; returns how many were when the worker was gone. */
async function killHalfWay({ site, org, workers }: FleetSite, victim: number, isCompliant: boolean): Promise<number> {
  const countDone = () => countEnvironments(site.db, org, complianceOf(isCompliant));
  while ((await countWaiting(site.db)) === 0 && (await countDone()) === 0) await sleep(1);
  await sleep(randomInt(isFull ? 300 : 50));
  await workers[victim]?.kill();
  return countDone();
}

it('ends with what the evidence says in the end when it changes all the time', async ({ annotate }) => {
  const { site, org, fleet } = await givenFleet();

  for (let i = 1; i <= REVIEWS; i++) {
    await fleet.review(randomInt(2) === 0);
    await sleep(randomInt(200));
  }
  await fleet.review(false);
  await fleet.review(true);
  await untilRested(site.db);

  expect(await countEnvironments(site.db, org, 'compliant')).toBe(ENVIRONMENTS);
  expect(await fleetFaults(site.db, org)).toEqual([]);
  await expectSameAgain(site.db);
  const made = await snapshotsMade(site.db, org);
  const counts = made.map((same) => same.made.length);
  for (const same of made) expect(same.made).toEqual(alternating(same.made.length));
  expect(Math.max(...counts)).toBeLessThanOrEqual(REVIEWS + 2);
  await annotate(
    `${REVIEWS + 2} reviews; from ${Math.min(...counts)} to ${Math.max(...counts)} snapshots for evidence`,
  );
});

it('judges again for a tag of a flow that the policy reads, and for no other', async ({ annotate }) => {
  const given = await givenFleet();
  const { site, org, fleet } = given;
  await flip(given, true);

  await fleet.tag('owner', 'payments');
  await untilRested(site.db);
  expect(await snapshotsMade(site.db, org)).toEqual([{ made: alternating(1), environments: ENVIRONMENTS }]);

  const count = (compliance: 'compliant' | 'non-compliant') => () => countEnvironments(site.db, org, compliance);
  const high = await timeFlip(() => fleet.tag('risk', 'high'), count('non-compliant'), ENVIRONMENTS);
  const low = await timeFlip(() => fleet.tag('risk', 'low'), count('compliant'), ENVIRONMENTS);
  await untilRested(site.db);
  const made = ['evidence: compliant', 'context: non-compliant', 'context: compliant'];
  expect(await snapshotsMade(site.db, org)).toEqual([{ made, environments: ENVIRONMENTS }]);
  await expectSameAgain(site.db);
  const last = [high, low].map((taken) => Math.round(taken.at(-1) ?? Number.NaN));
  await annotate(`all artifacts of ${ENVIRONMENTS} environments judged again in ${last.join(' and ')} ms`);
});
