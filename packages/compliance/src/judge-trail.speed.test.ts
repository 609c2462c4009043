import { expect, it } from 'vitest';
import { judgeTrail } from './judge-trail.ts';
import type { Target, Trail } from './trail.ts';
import { attested, fingerprintOf, ON_TRAIL, onFingerprint, onNamed, reported, trailOf } from './trail-examples.ts';

const NAMES = ['backend', 'frontend', 'worker', 'gateway', 'cli'];
const LETTERS = ['a', 'b', 'c', 'd', 'e'];

/** Processor time of one call in microseconds: wall time would include other processes. */
function costOf(work: () => unknown, rounds: number): number {
  const start = process.threadCpuUsage();
  for (let round = 0; round < rounds; round++) work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / rounds;
}

/** The cost of judging a trail relative to copying it as JSON, the least of several turns. */
function judgingInCopies(trail: Trail, rounds: number): number {
  const turns = Array.from({ length: 20 }, () => {
    const judging = costOf(() => judgeTrail(trail), rounds);
    return judging / costOf(() => JSON.parse(JSON.stringify(trail)), rounds);
  });
  return Math.min(...turns);
}

function trailWith(count: number, targetOf: (number: number) => Target): Trail {
  const slots = Array.from({ length: 8 }, (_, number) => ({ name: `check-${number}`, type: 'generic' }));
  return trailOf({
    template: { attestations: slots, artifacts: NAMES.map((name) => ({ name, attestations: slots })) },
    artifacts: NAMES.map((name, number) => reported(number, name, LETTERS[number] ?? 'f', { commit: 'c1' })),
    attestations: Array.from({ length: count }, (_, number) =>
      attested(number, `check-${Math.floor(number / 6)}`, 'generic', number % 7 > 0, { target: targetOf(number) }),
    ),
  });
}

function trailOfOverrides(count: number): Trail {
  const attestations = Array.from({ length: count }, (_, number) =>
    attested(number, 'check', number === 0 ? 'junit' : 'override', true, {
      overrides: number === 0 ? null : { id: `check-${number - 1}`, type: 'override', reason: '' },
    }),
  );
  return trailOf({ attestations });
}

function trailOrArtifact(number: number): Target {
  return number % 6 === 5 ? ON_TRAIL : onFingerprint(fingerprintOf(LETTERS[number % 6] ?? 'f'));
}

it('judges a typical trail, of 50 attestations and 5 artifacts, in the time of a few copies', () => {
  expect(judgingInCopies(trailWith(50, trailOrArtifact), 50)).toBeLessThan(5);
});

/** Sixteen times the work: a quadratic algorithm takes 256 times as long. */
it.each<[string, (count: number) => Trail]>([
  ['on artifacts', (count) => trailWith(count, trailOrArtifact)],
  ['on the trail', (count) => trailWith(count, () => ON_TRAIL)],
  ['that find no artifact', (count) => trailWith(count, (number) => onNamed(`name-${number}`, `commit-${number}`))],
])('takes time in proportion to the number of attestations %s', (_, trailOfSize) => {
  const [small, large] = [trailOfSize(500), trailOfSize(8000)];
  const ratio = costOf(() => judgeTrail(large), 2) / costOf(() => judgeTrail(small), 20);
  expect(ratio).toBeLessThan(80);
});

/** Walking back from each of them to the first would be 200 million steps. */
it('follows a long chain of overrides to its beginning, once', () => {
  const trail = trailOfOverrides(20_000);
  expect(judgeTrail(trail).attestations).toMatchObject([
    { type: 'junit', attestationId: 'check-19999', overriddenAttestationId: 'check-0' },
  ]);
  const short = trailOfOverrides(2_000);
  const ratio = costOf(() => judgeTrail(trail), 1) / costOf(() => judgeTrail(short), 5);
  expect(ratio).toBeLessThan(50);
});
