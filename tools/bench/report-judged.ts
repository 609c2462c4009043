import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../services/endpoints.ts';
import { MAX_CALLERS, send } from './call.ts';
import { loadEvidence } from './evidence/load.ts';
import { fingerprintOf } from './evidence/rows.ts';
import { type Installation, install, makeKey, serviceRoots } from './installation.ts';
import { compare, print, type Side } from './rounds.ts';
import { type Artifact, entryOf, longName, reportOf, reportPath } from './runtime/reports.ts';
import { ROUNDS, SECONDS, setting } from './settings.ts';
import { loadWithWrk, luaText, type WrkRequest, wrkScript } from './wrk.ts';

/** Each has an environment of its own, as reports about one are taken one after another. */
const CONNECTIONS = 32;
const ARTIFACTS = setting('BENCH_ARTIFACTS', 2_000);
const PER_TRAIL = 3;
/** Three artifacts and fifty attestations in each; what runs at first is from the first of them. */
const TRAILS = setting('BENCH_TRAILS', 4_000);
const FLOOR = 0.7;

/** Required of each artifact by each policy, besides provenance and a compliant trail. */
const ASKED = [
  ['unit-tests', 'junit', 'pull-request', 'pull_request'],
  ['dependencies', 'snyk', 'ticket', 'jira'],
  ['quality-gate', 'sonar', 'risk-review', 'generic'],
  ['components', 'sbom', 'release-decision', 'decision'],
  ['coverage', 'custom:coverage', 'licences', 'generic'],
] as const;

/**
 * A report in which one artifact of 2,000 has another fingerprint than before, in environments with five policies
 * against environments without any. What starts has provenance and evidence, and every policy asks for some of it.
 */
export async function benchReportJudged(): Promise<boolean> {
  const installation = await install();
  const key = makeKey(installation);
  await loadEvidence(installation, { trails: TRAILS, flows: 100 });
  const known = Array.from({ length: TRAILS * PER_TRAIL }, (_, i) =>
    fingerprintOf(Math.floor(i / PER_TRAIL), i % PER_TRAIL),
  );
  const base = known.slice(0, ARTIFACTS).map((fingerprint, i) => ({ name: longName(i + 1), fingerprint }));
  const api = await installation.start('api');
  try {
    await makeEnvironments(installation, key, base);
    installation.sql('vacuum analyze');
    const side = (name: string, prefix: 'judged' | 'plain'): Side => {
      const script = wrkScript(`report-${prefix}`, key, request(prefix, base, known.slice(ARTIFACTS)));
      return {
        name,
        measure: async () => {
          await reportAll(installation, key, prefix, base);
          const load = { connections: CONNECTIONS, threads: CONNECTIONS, seconds: SECONDS };
          return loadWithWrk(installation.url, script, load).perSecond;
        },
      };
    };
    const ratio = await compare({
      name: 'report-judged',
      rounds: ROUNDS,
      roots: serviceRoots(),
      ours: side('5 policies', 'judged'),
      bare: side('without', 'plain'),
    });
    print(described(installation));
    return ratio >= FLOOR;
  } finally {
    await api.stop();
    installation.remove();
  }
}

async function makeEnvironments(installation: Installation, key: string, base: readonly Artifact[]): Promise<void> {
  const put = (path: string, body: object) => send(installation.url, key, { method: 'PUT', path, body });
  for (const [i, asked] of ASKED.entries()) {
    await put(`/policies/acme/policy-${i + 1}`, { policy_yaml: policyOf(asked) });
  }
  const policies = ASKED.map((_, i) => `policy-${i + 1}`);
  for (const name of environments('judged')) await put('/environments/acme', { name, type: 'server', policies });
  for (const name of environments('plain')) await put('/environments/acme', { name, type: 'server' });
  await reportAll(installation, key, 'judged', base);
  await reportAll(installation, key, 'plain', base);
}

function policyOf([first, firstType, second, secondType]: (typeof ASKED)[number]): string {
  return `_schema: https://example.com/policy/v1
artifacts:
  provenance: { required: true }
  trail-compliance: { required: true }
  attestations:
    - { name: ${first}, type: '${firstType}' }
    - { name: ${second}, type: '${secondType}', if: '\${{ flow.name != "sandbox" }}' }
`;
}

/** Named as the threads of wrk count themselves. */
function environments(prefix: 'judged' | 'plain'): string[] {
  return Array.from({ length: CONNECTIONS }, (_, i) => `${prefix}-${i + 1}`);
}

/** Back to what ran at first. */
async function reportAll(
  installation: Installation,
  key: string,
  prefix: 'judged' | 'plain',
  running: readonly Artifact[],
): Promise<void> {
  const body = reportOf(running);
  const names = environments(prefix).values();
  const caller = async () => {
    for (const name of names) await send(installation.url, key, { method: 'PUT', path: reportPath(name), body });
  };
  await Promise.all(Array.from({ length: MAX_CALLERS / 4 }, caller));
}

/** One artifact after another is replaced by one that was built, of which each thread begins with another. */
function request(prefix: 'judged' | 'plain', base: readonly Artifact[], built: readonly string[]): WrkRequest {
  const linesIn = (name: string, lines: readonly string[]) => {
    const file = join(endpoints().dataDir, `bench-report-judged-${name}.txt`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    return `io.lines(${luaText(file)})`;
  };
  return {
    method: 'PUT',
    path: `"/api/v2/environments/acme/${prefix}-" .. id .. "/report/server"`,
    prepare: `entries = {}; for line in ${linesIn('entries', base.map(entryOf))} do entries[#entries + 1] = line end
  built = {}; for line in ${linesIn('built', built)} do built[#built + 1] = line end
  function changed()
    local at = 1 + (n - 1) % #entries
    entries[at] = string.gsub(entries[at], '"%x+"}', '"' .. built[1 + (run + n) % #built] .. '"}', 1)
    return '{"artifacts":[' .. table.concat(entries, ",") .. ']}'
  end`,
    body: 'changed()',
  };
}

/** Verifies that the intended work was measured. */
function described(installation: Installation): string {
  const [judged, plain, artifacts, evidenceStates] = installation
    .sql(`
      select sum(snapshot_count) filter (where name like 'judged-%' and environment.compliance <> 'unknown'),
        sum(snapshot_count) filter (where name like 'plain-%' and environment.compliance = 'unknown'),
        min(snapshot.artifact_count),
        (select count(*) from evidence_state) - (select count(*) from evidence_state where content like '%"flows":[]%')
      from environment join snapshot on snapshot.environment_id = environment.id
        and snapshot.index = environment.snapshot_count`)
    .split('|')
    .map(Number);
  const decisions = Number(installation.sql('select count(*) from decision'));
  if (!judged || !plain || !evidenceStates || artifacts !== ARTIFACTS) {
    throw new Error(
      `${judged} snapshots were judged, ${plain} were not, ${evidenceStates} states of evidence, ${artifacts} run`,
    );
  }
  return `${judged} snapshots judged, ${plain} not; ${decisions} decisions on ${evidenceStates} states of evidence kept`;
}
