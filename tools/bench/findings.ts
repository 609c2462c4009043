import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_CALLERS, send } from './call.ts';
import { type Installation, install, makeKey, type Running, serviceRoots } from './installation.ts';
import { cpuSecondsOf, withForeignLoad } from './machine.ts';
import { artifactOf, built, type Running as Runs, reported } from './rejudge/fleet.ts';
import { median, print, round2 } from './rounds.ts';
import { ROUNDS, setting } from './settings.ts';

const ARTIFACTS = setting('BENCH_ARTIFACTS', 2_000);
const POLICIES = setting('BENCH_POLICIES', 5);
const PER_SCAN = 20;
const LARGE_SCAN = setting('BENCH_FINDINGS', 10_000);
const CEILINGS = { recordedSeconds: 1, reevaluatedSeconds: 2 };
const PATIENCE_MS = 120_000;

const FLOW = 'scanned';
const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];

interface Site {
  readonly installation: Installation;
  readonly key: string;
  readonly servers: readonly Running[];
}

/** The processor time of a large scan, and of judging many artifacts by what their scans found. */
export async function benchFindings(): Promise<boolean> {
  const installation = await install();
  const key = makeKey(installation);
  // Without a worker, whose comparison of the ledger with all records would be measured too.
  const servers = [await installation.start('api')];
  try {
    const site: Site = { installation, key, servers };
    await put(site, '/flows/acme', { name: FLOW, template: 'version: 1' });
    const artifacts = Array.from({ length: ARTIFACTS }, (_, i) => artifactOf(`service-${i + 1}`));
    await inParallel(artifacts, (artifact, i) => scanned(site, 'build-1', artifact, scan(PER_SCAN, `a${i}`)));
    installation.sql('vacuum analyze');
    const recorded = await measureRecording(site);
    const reevaluated = await measureReevaluation(site, artifacts);
    print(JSON.stringify({ name: 'findings', recorded_cpu_s: recorded, reevaluated_cpu_s: reevaluated }));
    return recorded <= CEILINGS.recordedSeconds && reevaluated <= CEILINGS.reevaluatedSeconds;
  } finally {
    for (const server of servers) await server.stop();
    installation.remove();
  }
}

async function measureRecording(site: Site): Promise<number> {
  const results: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const artifact = artifactOf('large', `${round}`);
    const content = scan(LARGE_SCAN, `large-${round}`);
    const spent = await processorTime(site, round, `${LARGE_SCAN} findings recorded`, () =>
      scanned(site, 'build-2', artifact, content),
    );
    // The first one starts threads.
    if (round > 0) results.push(spent);
  }
  return round2(median(results));
}

async function measureReevaluation(site: Site, artifacts: readonly Runs[]): Promise<number> {
  const results: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const environment = `production-${round}`;
    await put(site, '/environments/acme', { name: environment, type: 'server' });
    await send(site.installation.url, site.key, reported('acme', environment, artifacts));
    const names = Array.from({ length: POLICIES }, (_, i) => `findings-${round}-${i}`);
    for (const [i, name] of names.entries())
      await put(site, `/policies/acme/${name}`, { policy_yaml: policyYaml(round * POLICIES + i) });
    await untilJudged(site, round);
    const attach = async () => {
      await put(site, '/environments/acme', { name: environment, type: 'server', policies: names });
      await untilJudged(site, round + 1);
    };
    const spent = await processorTime(site, round, `${ARTIFACTS} × ${POLICIES} decisions`, attach);
    if (round > 0) results.push(spent);
  }
  return round2(median(results));
}

/** No two are equal, so that each has to judge for itself. */
function policyYaml(number: number): string {
  return `_schema: https://compliance.example.com/schemas/policy/v1
artifacts:
  attestations:
    - name: scan
      type: snyk
      findings:
        max: { critical: ${number}, high: 5 }
        only_fixable: ${number % 2 === 0}
        grace_days: { critical: 7, high: 30 }
        ignore:
          - { id: CVE-2026-0${number}, reason: Not reachable, until: 2030-01-01 }
`;
}

/** As Trivy writes them. */
function scan(count: number, seed: string): string {
  const Vulnerabilities = Array.from({ length: count }, (_, i) => ({
    VulnerabilityID: `CVE-2026-${seed}-${i}`,
    VendorIDs: [`GHSA-${seed}-${i}`],
    PkgName: `package-${i % 500}`,
    InstalledVersion: '4.17.20',
    PkgIdentifier: { PURL: `pkg:npm/package-${i % 500}@4.17.20` },
    ...(i % 3 === 0 && { FixedVersion: '4.17.21' }),
    Severity: SEVERITIES[i % SEVERITIES.length],
    Title: 'Code injection through a template',
  }));
  return JSON.stringify({ SchemaVersion: 2, Results: [{ Target: 'package-lock.json', Vulnerabilities }] });
}

async function scanned({ installation, key }: Site, trail: string, artifact: Runs, content: string): Promise<void> {
  await send(installation.url, key, built('acme', FLOW, trail, artifact));
  const form = new FormData();
  const data = { attestation_name: 'scan', artifact_fingerprint: artifact.fingerprint };
  form.append('data_json', JSON.stringify(data));
  form.append('attachment_file', new Blob([content]), 'trivy.json');
  const response = await fetch(`${installation.url}/api/v2/attestations/acme/${FLOW}/trail/${trail}/snyk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  if (response.status !== 201) throw new Error(`a scan was answered ${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}

function put({ installation, key }: Site, path: string, body: object): Promise<void> {
  return send(installation.url, key, { method: 'PUT', path, body });
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item, i: number) => Promise<void>): Promise<void> {
  const left = items.entries();
  const workThrough = async () => {
    for (const [i, item] of left) await work(item, i);
  };
  await Promise.all(Array.from({ length: MAX_CALLERS }, workThrough));
}

/** Waits until all are judged: as many environments have a verdict, and none waits for one. */
async function untilJudged({ installation }: Site, environments: number): Promise<void> {
  const wanted = `${environments}|0`;
  const question = `select count(*) filter (where compliance <> 'unknown'), (select count(*) from environment_reevaluation)
    from environment`;
  for (const start = performance.now(); performance.now() - start < PATIENCE_MS; await sleep(20))
    if (installation.sql(question) === wanted) return;
  throw new Error(`after ${PATIENCE_MS} ms ${installation.sql(question)} and not ${wanted} environments are judged`);
}

/** The processor time of the servers and of their connections to the database. */
async function processorTime(
  { installation, servers }: Site,
  round: number,
  what: string,
  work: () => Promise<void>,
): Promise<number> {
  const roots = () => [...servers.map(({ pid }) => pid), ...connectionsOf(installation)];
  const before = new Map(roots().map((pid) => [pid, cpuSecondsOf([pid])]));
  const { foreign } = await withForeignLoad([...serviceRoots(), ...servers.map(({ pid }) => pid)], work);
  const spent = roots().reduce((sum, pid) => sum + cpuSecondsOf([pid]) - (before.get(pid) ?? 0), 0);
  print(`round ${round}  ${what}: ${spent.toFixed(2)} s  ${(foreign * 100).toFixed(0)} %`);
  return spent;
}

function connectionsOf(installation: Installation): number[] {
  const pids = installation.sql(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'`,
  );
  return pids === '' ? [] : pids.split('\n').map(Number);
}
