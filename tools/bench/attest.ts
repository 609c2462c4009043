import { createHash } from 'node:crypto';
import { send } from './call.ts';
import { captureStatements, type Logged } from './capture.ts';
import { type Installation, install, makeKey, serviceRoots } from './installation.ts';
import { type Fresh, pgbenchScript, runPgbench } from './pgbench.ts';
import { compare, print } from './rounds.ts';
import { ROUNDS, SECONDS } from './settings.ts';
import { luaText, runWrk, type WrkRequest, wrkScript } from './wrk.ts';

const TRAILS = 16;
const NAMES = 10;

export const benchAttest = (): Promise<boolean> => bench('attest', { connections: 32, floor: 0.5 });
export const benchAttestAlone = (): Promise<boolean> => bench('attest-1', { connections: 1, floor: 0.25 });

/** Attestation POST over HTTP against the same statements, authentication included, sent by pgbench one by one. */
async function bench(name: string, { connections, floor }: { connections: number; floor: number }): Promise<boolean> {
  const installation = await install();
  const key = makeKey(installation);
  await makeTrails(installation, key);
  const statements = await captureStatements(installation, () => attestOne(installation, key));
  print(`statements of one request: ${statements.map((statement) => statement.name).join(', ')}`);
  const script = pgbenchScript(statements, freshIds(statements));
  const api = await installation.start('api');
  try {
    const wrk = wrkScript(name, key, attestationPost());
    const ratio = await compare({
      name,
      rounds: ROUNDS,
      roots: serviceRoots(),
      ours: {
        name: 'attestation POST',
        measure: async () => runWrk(installation.url, wrk, connections, SECONDS),
      },
      bare: {
        name: 'pgbench',
        measure: async () => runPgbench(installation.databaseUrl, script, connections, SECONDS),
      },
    });
    return ratio >= floor;
  } finally {
    await api.stop();
    installation.remove();
  }
}

/** Ids that are new in every request; all others identify the place and the caller. */
function freshIds(statements: readonly Logged[]): Fresh {
  const insert = statements.find((statement) => statement.name === 'insert_attestations');
  const [row] = JSON.parse(insert?.values[0] ?? '[]') as { id: string; entry_id: string }[];
  if (!row) throw new Error('no attestation was captured');
  return new Map([row.id, row.entry_id].map((id) => [id, 'gen_random_uuid()']));
}

/** Needs an API server that does not run yet. */
export async function makeTrails(installation: Installation, key: string): Promise<void> {
  const api = await installation.start('api');
  const put = (path: string, body: object) => send(installation.url, key, { method: 'PUT', path, body });
  await put('/flows/acme', { name: 'web', template: 'version: 1' });
  for (let trail = 0; trail < TRAILS; trail++) {
    await put('/trails/acme/web', { name: `build-${trail}`, git_commit_info: commit(trail) });
  }
  await api.stop();
}

function attestOne(installation: Installation, key: string): Promise<void> {
  return send(installation.url, key, {
    method: 'POST',
    path: '/attestations/acme/web/trail/build-0/generic',
    body: { attestation_name: 'check-0', ...attested(0) },
  });
}

export function attestationPost(): WrkRequest {
  const bodies = Array.from({ length: TRAILS }, (_, trail) => luaText(JSON.stringify(attested(trail)).slice(1)));
  return {
    method: 'POST',
    path: `"/api/v2/attestations/acme/web/trail/build-" .. n % ${TRAILS} .. "/generic"`,
    body: `'{"attestation_name":"check-' .. n % ${NAMES} .. '",' .. ({${bodies.join(', ')}})[1 + n % ${TRAILS}]`,
  };
}

/** Everything but the name: about 1 KB, as a build sends it. */
function attested(trail: number): object {
  return {
    is_compliant: true,
    description: 'The integration tests ran against a fresh database and the last released schema.',
    git_commit_info: commit(trail),
    user_data: {
      build: `https://ci.example.com/acme/web/builds/${trail}`,
      runner: { os: 'linux', image: 'ubuntu-24.04', cpus: 4, labels: ['self-hosted', 'large', 'eu-west'] },
      durations: { checkout: 3.2, install: 41.7, compile: 88.1, test: 302.4, publish: 12.9 },
      tests: { total: 1841, passed: 1839, skipped: 2, failed: 0, flaky: ['login keeps the session', 'export resumes'] },
      coverage: { lines: 0.871, branches: 0.802, functions: 0.911 },
    },
  };
}

function commit(trail: number): object {
  return {
    sha1: createHash('sha1').update(`commit ${trail}`).digest('hex'),
    message: 'Keep the session when the token is renewed\n\nThe old one was dropped before the new one was stored.',
    author: 'Ada Lovelace <ada@example.com>',
    branch: 'main',
    timestamp: 1_790_000_000 + trail,
    url: `https://git.example.com/acme/web/commit/${trail}`,
  };
}
