import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../services/endpoints.ts';
import { send } from './call.ts';
import { captureStatements, type Logged } from './capture.ts';
import { type Installation, install, makeKey, serviceRoots } from './installation.ts';
import { pgbenchScript, runPgbench, type Steps } from './pgbench.ts';
import { compare, print } from './rounds.ts';
import { type Artifact, artifacts, entryOf, reportOf, reportPath, token } from './runtime/reports.ts';
import { ROUNDS, SECONDS, setting } from './settings.ts';
import { loadWithWrk, luaText, type WrkRequest, wrkScript } from './wrk.ts';

/** Each has an environment of its own, as reports about one are taken one after another. */
const CONNECTIONS = 32;
const ARTIFACTS = setting('BENCH_ARTIFACTS', 2_000);
const FLOOR = 0.35;

/**
 * A report in which one artifact of 2,000 has another fingerprint than before, against the same statements sent by
 * pgbench. Both go round the artifacts of their environments, so that both read and write the same rows.
 */
export async function benchReportChanged(): Promise<boolean> {
  const installation = await install();
  const key = makeKey(installation);
  const base = artifacts(ARTIFACTS);
  await makeEnvironments(installation, key, base);
  const statements = await captureOne(installation, key, base);
  print(`statements of one request: ${statements.map((statement) => statement.name).join(', ')}`);
  const script = pgbenchScript(statements, freshParts(statements), stepsOf(statements));
  installation.sql('vacuum analyze');
  const api = await installation.start('api');
  try {
    const wrk = wrkScript('report-changed', key, request(base));
    const load = { connections: CONNECTIONS, threads: CONNECTIONS, seconds: SECONDS };
    const ratio = await compare({
      name: 'report-changed',
      rounds: ROUNDS,
      roots: serviceRoots(),
      ours: {
        name: 'report PUT',
        measure: async () => {
          await reportAll(installation, key, 'ours', base);
          return loadWithWrk(installation.url, wrk, load).perSecond;
        },
      },
      bare: {
        name: 'pgbench',
        measure: async () => runPgbench(installation.databaseUrl, script, CONNECTIONS, SECONDS),
      },
    });
    for (const side of ['ours', 'bare']) print(writtenBy(installation, side));
    return ratio >= FLOOR;
  } finally {
    await api.stop();
    installation.remove();
  }
}

async function makeEnvironments(installation: Installation, key: string, base: readonly Artifact[]): Promise<void> {
  const api = await installation.start('api');
  const names = [...environments('ours'), ...environments('bare'), 'captured'];
  for (const name of names) {
    await send(installation.url, key, { method: 'PUT', path: '/environments/acme', body: { name, type: 'server' } });
  }
  await reportAll(installation, key, 'ours', base);
  await reportAll(installation, key, 'bare', base);
  await report(installation, key, 'captured', base);
  await api.stop();
}

/** Named as the threads of wrk and the clients of pgbench count themselves. */
function environments(side: 'ours' | 'bare'): string[] {
  return Array.from({ length: CONNECTIONS }, (_, i) => (side === 'ours' ? `ours-${i + 1}` : `bare-${i}`));
}

async function reportAll(installation: Installation, key: string, side: 'ours' | 'bare', base: readonly Artifact[]) {
  for (const name of environments(side)) await report(installation, key, name, base);
}

function report(installation: Installation, key: string, name: string, running: readonly Artifact[]): Promise<void> {
  return send(installation.url, key, { method: 'PUT', path: reportPath(name), body: reportOf(running) });
}

/** The first artifact has changed before, the second changes now. */
function captureOne(installation: Installation, key: string, base: readonly Artifact[]): Promise<Logged[]> {
  const running = [...base];
  const changed = artifacts(2, 1);
  let next = 0;
  return captureStatements(installation, async () => {
    running[next] = changed[next] as Artifact;
    next++;
    await report(installation, key, 'captured', running);
  });
}

/** What the captured request was about, wherever it is part of a value: the second artifact, changed. */
function freshParts(statements: readonly Logged[]): Map<string, string> {
  const record = recordOf(statements);
  const entry = record.values.find((value) => value && /^\{[0-9a-f]{8}-[0-9a-f-]{27}\}$/.test(value));
  if (!entry) throw new Error('no entry of the journal was captured');
  return new Map([
    [entry.slice(1, -1), 'gen_random_uuid()'],
    [artifacts(2, 1)[1]?.fingerprint ?? '', `lpad(:client_id || 'a' || :st_run_count, 64, '0')`],
    [token(2), `'service-' || lpad(:artifact::text, 5, '0')`],
  ]);
}

/** The state of the environment is read as the server reads it, and decides the writes. */
function stepsOf(statements: readonly Logged[]): Steps {
  const environment = statements.find(({ name }) => name === 'read_environment_states')?.values;
  const org = statements.find(({ name }) => name === 'find_reporters')?.values[0]?.slice(1, -1);
  const environmentId = environment?.find((value) => value !== org) ?? '';
  const at = { [environmentId]: ':rep_id' };
  const moments = momentsOf(statements);
  return {
    swaps: {
      find_reporters: { '{captured}': `'{bare-' || :client_id || '}'` },
      lock_environment: at,
      read_environment_states: at,
      list_runs: at,
      list_forerunners: at,
      record_snapshot: {
        ...at,
        ...moments,
        3: ':index',
        '{"{3}"}': `'{"{' || :index || '}"}'`,
        [String(ARTIFACTS + 4)]: ':events',
        [String(ARTIFACTS + 2)]: ':no',
        [`{${ARTIFACTS + 2}}`]: `'{' || :no || '}'`,
        '{2}': `'{' || :exited || '}'`,
      },
      keep_beat: { ...at, ...moments },
    },
    endings: {
      find_reporters: ' \\gset rep_',
      read_environment_states: ` \\gset st_
\\set index :st_snapshot_count + 1
\\set events :st_event_total + 2
\\set no :st_run_count + 1
\\set exited :no - ${ARTIFACTS}
\\set artifact 1 + (:exited - 1) % ${ARTIFACTS}`,
    },
  };
}

function recordOf(statements: readonly Logged[]): Logged {
  const record = statements.find(({ name }) => name === 'record_snapshot');
  if (!record) throw new Error('the captured report made no snapshot');
  return record;
}

function momentsOf(statements: readonly Logged[]): Record<string, string> {
  const values = statements.flatMap((statement) => statement.values);
  const moments = values.filter((value) => value !== null && /^\d{4}-\d\d-\d\d[T ]\d\d:/.test(value));
  return Object.fromEntries(moments.map((moment) => [moment, 'clock_timestamp()']));
}

/** The load generator derives each body from the one before. */
function request(base: readonly Artifact[]): WrkRequest {
  const file = join(endpoints().dataDir, 'bench-report-changed.txt');
  writeFileSync(file, `${base.map(entryOf).join('\n')}\n`);
  return {
    method: 'PUT',
    path: `"/api/v2/environments/acme/ours-" .. id .. "/report/server"`,
    prepare: `entries = {}; for line in io.lines(${luaText(file)}) do entries[#entries + 1] = line end
  function changed()
    local at = 1 + (n - 1) % #entries
    local fingerprint = string.format("%08x%08x%048d", run, n, id)
    entries[at] = string.gsub(entries[at], '"%x+"}', '"' .. fingerprint .. '"}', 1)
    return '{"artifacts":[' .. table.concat(entries, ",") .. ']}'
  end`,
    body: 'changed()',
  };
}

function writtenBy(installation: Installation, side: string): string {
  const [snapshots, changes, fewest, most] = installation
    .sql(`
      select sum(snapshot_count - 1), sum(event_total - ${ARTIFACTS}), min(live), max(live)
      from environment
      join snapshot on snapshot.environment_id = environment.id and snapshot.index = environment.snapshot_count
      cross join lateral (
        select count(*) as live from running where environment_id = environment.id and until_index is null
      ) as running
      where name like '${side}-%'`)
    .split('|')
    .map(Number);
  if (fewest !== ARTIFACTS || most !== ARTIFACTS) throw new Error(`${side}: ${fewest} to ${most} run at the end`);
  return `${side}: ${snapshots} snapshots with ${changes} events`;
}
