import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../services/endpoints.ts';
import { captureStatements } from './capture.ts';
import { type Installation, install, run, serviceRoots } from './installation.ts';
import { pgbenchScript, runPgbench } from './pgbench.ts';
import { compare, print } from './rounds.ts';

const CONNECTIONS = 32;
const SECONDS = 5;
const ROUNDS = 5;
const FLOOR = 0.45;
/** About 1 KB, as a real template has. */
const TEMPLATE = `version: 1\ntrail:\n  attestations:\n${Array.from({ length: 18 }, (_, i) => `    - name: check-number-${i + 10}\n      type: generic\n`).join('')}`;

/** Flow PUT over HTTP against the same statements, authentication included, sent by pgbench. */
export async function benchWrite(): Promise<boolean> {
  const installation = await install();
  installation.admin('user', 'create', 'ada', '--org', 'acme', '--role', 'admin');
  const key = installation.admin('key', 'create', '--user', 'ada');
  const statements = await captureStatements(installation, () => putOne(installation, key));
  print(`statements of one request: ${statements.map((statement) => statement.name).join(', ')}`);

  const put = statements.find((statement) => statement.name === 'put_flow');
  const fresh = new Map<string, string>();
  for (const value of put?.values ?? []) {
    if (value && /^[0-9a-f]{8}-/.test(value) && !installationIds(installation).has(value))
      fresh.set(value, 'gen_random_uuid()');
    if (value?.startsWith('captured-')) fresh.set(value, `'bench-' || :n`);
  }
  const script = pgbenchScript(statements, fresh);
  const api = await installation.start('api');
  try {
    const wrk = wrkScript(key);
    const ratio = await compare({
      name: 'write',
      rounds: ROUNDS,
      roots: serviceRoots(),
      ours: { name: 'flow PUT', measure: async () => runWrk(installation.url, wrk) },
      bare: {
        name: 'pgbench',
        measure: async () => runPgbench(installation.databaseUrl, script, CONNECTIONS, SECONDS),
      },
    });
    return ratio >= FLOOR;
  } finally {
    await api.stop();
    installation.remove();
  }
}

/** Ids that are the same for every request: the org's and the caller's. */
function installationIds(installation: Installation): Set<string> {
  return new Set(installation.sql('select id from org union select id from user_account').split('\n'));
}

async function putOne(installation: Installation, key: string): Promise<void> {
  const answer = await fetch(`${installation.url}/api/v2/flows/acme`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `captured-${process.hrtime.bigint()}`, description: 'bench', template: TEMPLATE }),
  });
  if (!answer.ok) throw new Error(`PUT answered ${answer.status}: ${await answer.text()}`);
}

function wrkScript(key: string): string {
  const file = join(endpoints().dataDir, 'bench-write.lua');
  const template = JSON.stringify(TEMPLATE);
  writeFileSync(
    file,
    `local thread = 0
function setup(t) thread = thread + 1; t:set("id", thread) end
function init(args) math.randomseed(os.time() * 1000 + id); n = 0; run = math.random(1, 1000000000) end
function request()
  n = n + 1
  local body = '{"name":"wrk-' .. run .. '-' .. id .. '-' .. n .. '","description":"bench","template":' .. [==[${template}]==] .. '}'
  return wrk.format("PUT", "/api/v2/flows/acme", { ["Authorization"] = "Bearer ${key}", ["Content-Type"] = "application/json" }, body)
end
function done(summary, latency)
  io.write("FAILED " .. (summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout) .. "\\n")
end
`,
  );
  return file;
}

function runWrk(url: string, script: string): number {
  const output = run('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-s', script, url]);
  if (!output.includes('FAILED 0')) throw new Error(`some requests failed:\n${output}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
}
