import { send } from './call.ts';
import { captureStatements } from './capture.ts';
import { type Installation, install, makeKey, serviceRoots } from './installation.ts';
import { pgbenchScript, runPgbench } from './pgbench.ts';
import { compare, print } from './rounds.ts';
import { ROUNDS, SECONDS } from './settings.ts';
import { luaText, runWrk, type WrkRequest, wrkScript } from './wrk.ts';

const CONNECTIONS = 32;
const FLOOR = 0.45;
/** About 1 KB, as a real template has. */
const TEMPLATE = `version: 1\ntrail:\n  attestations:\n${Array.from({ length: 18 }, (_, i) => `    - name: check-number-${i + 10}\n      type: generic\n`).join('')}`;

/** Flow PUT over HTTP against the same statements, authentication included, sent by pgbench. */
export async function benchWrite(): Promise<boolean> {
  const installation = await install();
  const key = makeKey(installation);
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
    const wrk = wrkScript('write', key, flowPut());
    const ratio = await compare({
      name: 'write',
      rounds: ROUNDS,
      roots: serviceRoots(),
      ours: { name: 'flow PUT', measure: async () => runWrk(installation.url, wrk, CONNECTIONS, SECONDS) },
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

function putOne(installation: Installation, key: string): Promise<void> {
  return send(installation.url, key, {
    method: 'PUT',
    path: '/flows/acme',
    body: { name: `captured-${process.hrtime.bigint()}`, description: 'bench', template: TEMPLATE },
  });
}

export function flowPut(): WrkRequest {
  const template = luaText(JSON.stringify(TEMPLATE));
  return {
    method: 'PUT',
    path: '"/api/v2/flows/acme"',
    body: `'{"name":"wrk-' .. run .. '-' .. id .. '-' .. n .. '","description":"bench","template":' .. ${template} .. '}'`,
  };
}
