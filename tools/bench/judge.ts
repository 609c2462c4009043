import {
  type ArtifactEvidence,
  createJudgingMemory,
  decide,
  type JudgingMemory,
  type Policy,
  parsePolicy,
} from '../../packages/policy/src/index.ts';
import { artifactsOf } from './judge/artifacts.ts';
import { type Asked, askedOf, policyYaml } from './judge/asked.ts';
import { isCompliantBare } from './judge/bare.ts';
import { collectGarbage } from './judge/garbage.ts';
import { compare, median, print, type Side } from './rounds.ts';
import { ROUNDS, setting } from './settings.ts';

const ARTIFACTS = setting('BENCH_ARTIFACTS', 2000);
const POLICIES = setting('BENCH_POLICIES', 20);
const PASSES = setting('BENCH_PASSES', 20);
const FLOOR = 200_000;
const ENVIRONMENT = { name: 'production', tags: { tier: '1' } };

/** Verdicts per second and core, with their reasons, against a loop without reasons. */
export async function benchJudge(): Promise<boolean> {
  const asked = askedOf(POLICIES);
  const policies = asked.map(policyOf);
  const rates: number[] = [];
  const compliant = { ours: 0, bare: 0 };
  const measureOurs = async () => {
    const memory = createJudgingMemory();
    const { rate, count } = measure((artifact) => countCompliant(policies, artifact, memory));
    compliant.ours = count;
    rates.push(rate);
    return rate;
  };
  const measureBare = async () => {
    const { rate, count } = measure((artifact) => countCompliantBare(asked, artifact));
    compliant.bare = count;
    return rate;
  };
  const side = (name: string, measureIt: () => Promise<number>): Side => ({ name, measure: measureIt });
  await measureOurs();
  rates.length = 0;
  await compare({
    name: 'judge',
    ours: side('verdicts', measureOurs),
    bare: side('plain ifs', measureBare),
    rounds: ROUNDS,
    roots: [],
  });
  const rate = median(rates);
  const share = compliant.ours / (ARTIFACTS * POLICIES * PASSES);
  print(`${Math.round(rate).toLocaleString('en')} verdicts/s and core, ${(share * 100).toFixed(1)} % compliant`);
  if (compliant.ours !== compliant.bare) print(`they disagree: ${compliant.ours} and ${compliant.bare} are compliant`);
  return rate >= FLOOR && compliant.ours === compliant.bare;
}

function policyOf(asked: Asked): Policy {
  const parsed = parsePolicy(policyYaml(asked));
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

/** By processor time of all threads, so that garbage collection counts, but not that of making the artifacts. */
function measure(count: (artifact: ArtifactEvidence) => number): { rate: number; count: number } {
  let microseconds = 0;
  let total = 0;
  for (let pass = 0; pass < PASSES; pass++) {
    const artifacts = artifactsOf(ARTIFACTS);
    collectGarbage();
    const start = process.cpuUsage();
    for (const artifact of artifacts) total += count(artifact);
    const { user, system } = process.cpuUsage(start);
    microseconds += user + system;
  }
  return { rate: (ARTIFACTS * POLICIES * PASSES) / (microseconds / 1_000_000), count: total };
}

function countCompliant(policies: readonly Policy[], artifact: ArtifactEvidence, memory: JudgingMemory): number {
  const context = { artifactName: 'service', environment: ENVIRONMENT };
  let compliant = 0;
  for (const [number, policy] of policies.entries()) {
    const { status } = decide(policy, { name: 'production', version: number }, artifact, context, memory);
    if (status === 'COMPLIANT') compliant += 1;
  }
  return compliant;
}

function countCompliantBare(asked: readonly Asked[], artifact: ArtifactEvidence): number {
  let compliant = 0;
  for (const it of asked) if (isCompliantBare(it, artifact)) compliant += 1;
  return compliant;
}
