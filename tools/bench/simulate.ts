import { ask, type Call, send } from './call.ts';
import { loadEvidence } from './evidence/load.ts';
import { fingerprintOf } from './evidence/rows.ts';
import { type Installation, install, makeKey, serviceRoots } from './installation.ts';
import { median, print, untilQuiet } from './rounds.ts';
import { type Artifact, reportOf, reportPath, shortName } from './runtime/reports.ts';
import { ROUNDS, setting } from './settings.ts';

const DAYS = setting('BENCH_DAYS', 365);
const ARTIFACTS = setting('BENCH_ARTIFACTS', 50);
const PER_TRAIL = 3;
/** Trails are loaded in groups of twenty. */
const TRAILS = Math.ceil((DAYS * ARTIFACTS) / PER_TRAIL / 20) * 20;

const SCHEMA = '_schema: https://compliance.example.com/schemas/policy/v1';
const ATTACHED = `${SCHEMA}\nartifacts:\n  provenance: { required: true }\n`;
const TRIED = `${SCHEMA}
artifacts:
  trail-compliance: { required: true }
  attestations:
    - { type: junit, if: '\${{ matches(artifact.name, "[02468]$") }}' }
`;

/** One has an attached policy, so that evidence was recorded. The other has none, and the trails are judged again. */
const ENVIRONMENTS = {
  recorded: { policies: ['release'], ceilingMs: 5_000 },
  unjudged: { policies: [], ceilingMs: 15_000 },
};

/** A year in which 50 artifacts were replaced every day, back-tested with another policy. */
export async function benchSimulate(): Promise<boolean> {
  const installation = await install();
  const key = makeKey(installation);
  await loadEvidence(installation, { trails: TRAILS, flows: 40 });
  const api = await installation.start('api');
  try {
    const policy = { method: 'PUT', path: '/policies/acme/release', body: { policy_yaml: ATTACHED } } as const;
    await send(installation.url, key, policy);
    for (const [name, { policies }] of Object.entries(ENVIRONMENTS)) await makeYear(installation, key, name, policies);
    installation.sql('vacuum analyze');
    const results: Record<string, number> = {};
    for (const name of Object.keys(ENVIRONMENTS)) results[name] = await measure(installation, key, name, api.pid);
    print(JSON.stringify({ name: 'simulate', verdicts: DAYS * ARTIFACTS, ms: results }));
    return Object.entries(ENVIRONMENTS).every(([name, { ceilingMs }]) => (results[name] ?? ceilingMs + 1) <= ceilingMs);
  } finally {
    await api.stop();
    installation.remove();
  }
}

/** Reported within a minute; the snapshots are dated back to one a day. */
async function makeYear(installation: Installation, key: string, name: string, policies: string[]): Promise<void> {
  const put = (call: Pick<Call, 'path' | 'body'>) => send(installation.url, key, { method: 'PUT', ...call });
  await put({ path: '/environments/acme', body: { name, type: 'server', policies } });
  for (let day = 0; day < DAYS; day++) await put({ path: reportPath(name), body: reportOf(runningOn(day)) });
  installation.sql(`update snapshot set created_at = created_at - (${DAYS} - index) * interval '1 day'
    where environment_id = (select id from environment where name = '${name}')`);
}

function runningOn(day: number): Artifact[] {
  return Array.from({ length: ARTIFACTS }, (_, i) => {
    const place = day * ARTIFACTS + i;
    return { name: shortName(i + 1), fingerprint: fingerprintOf(Math.floor(place / PER_TRAIL), place % PER_TRAIL) };
  });
}

async function measure(installation: Installation, key: string, name: string, pid: number): Promise<number> {
  const results: number[] = [];
  const body = { policy_yaml: TRIED, environments: [name], from_timestamp: Date.now() / 1000 - (DAYS + 1) * 86_400 };
  for (let round = 1; round <= ROUNDS; round++) {
    const once = async () => {
      const start = performance.now();
      const { content } = await ask(installation.url, key, { method: 'POST', path: '/policies/acme/simulate', body });
      return { ms: performance.now() - start, content };
    };
    const { ms } = await untilQuiet([...serviceRoots(), pid], once, ({ ms, content }, others) => {
      const { evaluated, flips } = JSON.parse(content) as { evaluated: number; flips: unknown[] };
      if (evaluated !== DAYS * ARTIFACTS) throw new Error(`${evaluated} verdicts were compared`);
      print(`${name}  round ${round}  ${Math.round(ms)} ms  ${flips.length} flips  ${others}`);
    });
    results.push(ms);
  }
  return Math.round(median(results));
}
