import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../services/endpoints.ts';
import { ask, send } from './call.ts';
import { startEcho } from './echo.ts';
import { type Installation, install, makeKey, serviceRoots } from './installation.ts';
import { compare, print } from './rounds.ts';
import { type Artifact, artifacts, reportOf, reportPath } from './runtime/reports.ts';
import { ROUNDS, SECONDS } from './settings.ts';
import { luaText, runWrk, type WrkRequest, wrkScript } from './wrk.ts';

const CONNECTIONS = 32;
const ORDERS = 64;

interface Kind {
  readonly name: string;
  /** Bodies that are sent in turn; the first was taken before. */
  readonly bodiesOf: (running: readonly Artifact[]) => string[];
  /** By the number of artifacts. */
  readonly floors: Readonly<Record<number, number>>;
}

/** An unchanged report in the very bytes of the one before, against a bare server that parses it. */
export const benchReportSame = (): Promise<boolean> =>
  bench({ name: 'report-same', bodiesOf: (running) => [reportOf(running)], floors: { 200: 1.1, 2000: 4 } });

/** An unchanged report whose artifacts come in another order each time. */
export const benchReportReordered = (): Promise<boolean> =>
  bench({
    name: 'report-reordered',
    bodiesOf: (running) => Array.from({ length: ORDERS }, (_, i) => reportOf(inOrder(running, i))),
    floors: { 200: 0.4, 2000: 0.5 },
  });

async function bench(kind: Kind): Promise<boolean> {
  const installation = await install();
  const key = makeKey(installation);
  const api = await installation.start('api');
  const { url, echo } = await startEcho();
  try {
    const held: boolean[] = [];
    for (const [count, floor] of Object.entries(kind.floors)) {
      held.push((await measure(kind, installation, key, url, Number(count))) >= floor);
    }
    return held.every(Boolean);
  } finally {
    await echo.stop();
    await api.stop();
    installation.remove();
  }
}

async function measure(
  kind: Kind,
  installation: Installation,
  key: string,
  echoUrl: string,
  count: number,
): Promise<number> {
  const environment = `running-${count}`;
  const bodies = kind.bodiesOf(artifacts(count));
  await send(installation.url, key, {
    method: 'PUT',
    path: '/environments/acme',
    body: { name: environment, type: 'server' },
  });
  for (const expected of ['1; created', '1; unchanged']) {
    const report = { method: 'PUT' as const, path: reportPath(environment), body: bodies[0] ?? '' };
    const { headers } = await ask(installation.url, key, report);
    if (headers['waymark-snapshot'] !== expected) throw new Error(`not ${expected}: ${headers['waymark-snapshot']}`);
  }
  print(`${count} artifacts, ${Buffer.byteLength(bodies[0] ?? '').toLocaleString('en')} bytes`);
  const wrk = wrkScript(kind.name, key, request(environment, bodies));
  const ratio = await compare({
    name: `${kind.name}-${count}`,
    rounds: ROUNDS,
    roots: serviceRoots(),
    ours: { name: 'report PUT', measure: async () => runWrk(installation.url, wrk, CONNECTIONS, SECONDS) },
    bare: { name: 'bare echo', measure: async () => runWrk(echoUrl, wrk, CONNECTIONS, SECONDS) },
  });
  const made = installation.sql(`select snapshot_count from environment where name = '${environment}'`);
  if (made !== '1') throw new Error(`reports that changed nothing made snapshot ${made}`);
  return ratio;
}

function request(environment: string, bodies: readonly string[]): WrkRequest {
  const file = join(endpoints().dataDir, 'bench-reports.txt');
  writeFileSync(file, `${bodies.join('\n')}\n`);
  return {
    method: 'PUT',
    path: luaText(`/api/v2${reportPath(environment)}`),
    prepare: `bodies = {}; for line in io.lines(${luaText(file)}) do bodies[#bodies + 1] = line end`,
    body: 'bodies[n]',
    repeated: bodies.length,
  };
}

/** Steps of a prime length visit every place once. */
function inOrder(running: readonly Artifact[], order: number): Artifact[] {
  const step = STEPS[order % STEPS.length] ?? 1;
  return running.flatMap((_, i) => running[(i * step + order) % running.length] ?? []);
}

const STEPS = [1, 3, 7, 11, 13, 17, 19, 23, 29, 31, 37];
