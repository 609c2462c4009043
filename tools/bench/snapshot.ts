import { ask, type Call, send } from './call.ts';
import { loadEvidence } from './evidence/load.ts';
import { fingerprintOf, type Size } from './evidence/rows.ts';
import { type Installation, install, makeKey, serviceRoots } from './installation.ts';
import { median, print, untilQuiet } from './rounds.ts';
import { type Artifact, reportOf, reportPath, shortName } from './runtime/reports.ts';
import { ROUNDS, SECONDS, setting } from './settings.ts';
import { loadWithWrk, type WrkResult, wrkScript } from './wrk.ts';

const CLIENTS = 8;
const ARTIFACTS = setting('BENCH_ARTIFACTS', 2_000);
const PER_TRAIL = 3;
/** Trails are loaded in groups of twenty. */
const SERVICES = Math.ceil(ARTIFACTS / PER_TRAIL / 20) * 20;
/** Each service was built twice, in a flow of its own: what ran first, and what took its place. */
const EVIDENCE: Size = { trails: 2 * SERVICES, flows: SERVICES };
const SNAPSHOTS = setting('BENCH_SNAPSHOTS', 101);
const CEILING_MS = 150;

const READS = {
  latest: '"/api/v2/snapshots/acme/env-1/-1"',
  middle: `"/api/v2/snapshots/acme/env-1/${Math.ceil(SNAPSHOTS / 2)}"`,
  // There are so many snapshots that this one is hardly ever cached.
  any: `"/api/v2/snapshots/acme/env-1/" .. math.random(1, ${SNAPSHOTS})`,
  'of 8': `"/api/v2/snapshots/acme/env-" .. 1 + n % ${CLIENTS} .. "/-1"`,
};

const POLICY = `_schema: https://compliance.example.com/schemas/policy/v1
artifacts:
  provenance: { required: true }
  trail-compliance: { required: true }
`;

/** One snapshot of 2,000 artifacts that all have provenance, a decision, and replaced another, under 8 clients. */
export async function benchSnapshot(): Promise<boolean> {
  const installation = await install();
  const key = makeKey(installation);
  await loadEvidence(installation, EVIDENCE);
  const api = await installation.start('api');
  try {
    const policy = { method: 'PUT', path: '/policies/acme/release', body: { policy_yaml: POLICY } } as const;
    await send(installation.url, key, policy);
    for (let i = 1; i <= CLIENTS; i++) await makeHistory(installation, key, `env-${i}`);
    installation.sql('vacuum analyze');
    print(await described(installation, key));
    const results = await measureAll(installation, key);
    print(JSON.stringify({ name: 'snapshot', ...results }));
    return Object.values(results).every(({ p95 }) => p95 <= CEILING_MS);
  } finally {
    await api.stop();
    installation.remove();
  }
}

/** The older builds first, then the newer ones, then one of them back and forth. */
async function makeHistory(installation: Installation, key: string, name: string): Promise<void> {
  const put = (call: Pick<Call, 'path' | 'body'>) => send(installation.url, key, { method: 'PUT', ...call });
  await put({ path: '/environments/acme', body: { name, type: 'server', policies: ['release'] } });
  await put({ path: reportPath(name), body: reportOf(built(0)) });
  const [older, newer] = [built(0), built(1)];
  await put({ path: reportPath(name), body: reportOf(newer) });
  const count = name === 'env-1' ? SNAPSHOTS : 2;
  for (let index = 3; index <= count; index++) {
    const running = newer.map((artifact, i) =>
      i === index >> 1 && index % 2 === 1 ? (older[i] ?? artifact) : artifact,
    );
    await put({ path: reportPath(name), body: reportOf(running) });
  }
}

function built(generation: 0 | 1): Artifact[] {
  return Array.from({ length: ARTIFACTS }, (_, i) => ({
    name: shortName(i + 1),
    fingerprint: fingerprintOf(generation * SERVICES + Math.floor(i / PER_TRAIL), i % PER_TRAIL),
  }));
}

async function described(installation: Installation, key: string): Promise<string> {
  const { content } = await ask(installation.url, key, { method: 'GET', path: '/snapshots/acme/env-1/-1' });
  const { index, artifacts } = JSON.parse(content) as {
    index: number;
    artifacts: {
      annotation: { now: number };
      flows: unknown[];
      deployment_diff: unknown;
      policy_decisions: unknown[];
    }[];
  };
  const running = artifacts.filter(({ annotation }) => annotation.now > 0);
  const withProvenance = running.filter(({ flows }) => flows.length > 0).length;
  const judged = running.filter((artifact) => artifact.policy_decisions.length > 0).length;
  const replacing = running.filter((artifact) => artifact.deployment_diff !== null).length;
  if (index !== SNAPSHOTS || [running.length, withProvenance, judged].some((count) => count !== ARTIFACTS)) {
    throw new Error(
      `snapshot ${index}: ${running.length} run, ${withProvenance} have provenance, ${judged} were judged`,
    );
  }
  return `snapshot ${index}: ${running.length} artifacts, ${replacing} of them in the place of another, ${content.length} bytes`;
}

interface Result {
  readonly p50: number;
  readonly p95: number;
}

async function measureAll(installation: Installation, key: string): Promise<Record<string, Result>> {
  const rounds: Record<string, WrkResult[]> = {};
  print('read      round        p50        p95   a second  others');
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [name, path] of Object.entries(READS)) {
      const script = wrkScript('snapshot', key, { method: 'GET', path, body: 'nil' });
      const result = await untilQuiet(
        serviceRoots(),
        async () => loadWithWrk(installation.url, script, { connections: CLIENTS, seconds: SECONDS }),
        (result, others) => print(line(name, round, result, others)),
      );
      rounds[name] = [...(rounds[name] ?? []), result];
    }
  }
  return Object.fromEntries(
    Object.entries(rounds).map(([name, results]) => [
      name,
      { p50: middle(results.map(({ p50 }) => p50)), p95: middle(results.map(({ p95 }) => p95)) },
    ]),
  );
}

function middle(values: readonly number[]): number {
  return Math.round(median(values) * 10) / 10;
}

function line(name: string, round: number, { p50, p95, perSecond }: WrkResult, others: string): string {
  const [half, most] = [p50, p95].map((ms) => `${ms.toFixed(1)} ms`.padStart(9));
  return `${name.padEnd(8)}  ${String(round).padStart(5)}  ${half}  ${most}  ${perSecond.toFixed(1).padStart(9)}  ${others}`;
}
