import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { isFull } from '../../../../tools/test-size.ts';
import { givenInstallation, givenOrg, type Installation, type Org } from '../faults/installation.ts';
import { givenPostgres } from '../faults/private-services.ts';
import type { AtEnd } from '../faults/processes.ts';
import type { LoopRequest, LoopResult, OpenLoop } from './open-loop.ts';

/** A server, a worker and a database on one core. The clients are on another. */
export interface Stage {
  readonly installation: Installation;
  readonly url: string;
  readonly neighbour: Org;
  readonly attacker: Org;
  call(org: Org, method: string, path: string, body?: unknown): Promise<{ status: number; body: string }>;
  /** Ordinary work of the neighbor at a steady rate. */
  ordinaryWork(count: number, perSecond?: number, warmUp?: number): Promise<LoopResult>;
}

const SERVER_CORE = '0';
const CALLER_CORE = '1';
/** In the short form nothing is measured, and a slow machine must be able to keep up. */
const PER_SECOND = isFull ? 40 : 20;

/** Evidence of a long run is spread over these: nobody reports everything into one trail. */
const TRAILS = isFull ? 200 : 5;

/** In the short form nothing is measured, and everything shares the machine with the other tests. */
const isPinned = isFull && availableParallelism() > 1;

export async function givenStage(atEnd: AtEnd): Promise<Stage> {
  const cluster = isPinned ? await givenPostgres(atEnd) : undefined;
  const installation = await givenInstallation({
    ...(cluster && { databaseUrl: cluster.url }),
    // The defaults of an operator's installation.
    env: { WAYMARK_RATE_PER_SECOND: '500', WAYMARK_RATE_BURST: '5000' },
    atEnd,
  });
  const servers = [await installation.startApi(), await installation.startWorker()];
  if (isPinned) {
    pin(process.pid, CALLER_CORE);
    for (const { pid } of servers) pin(pid, SERVER_CORE);
    for (const pid of await backendsOf(installation)) pin(pid, SERVER_CORE);
  }
  const neighbour = await givenOrg(installation.ctx, 'neighbour');
  const attacker = await givenOrg(installation.ctx, 'attacker');
  const { url } = installation;
  const call: Stage['call'] = async ({ key }, method, path, body) => {
    const answer = await fetch(`${url}/api/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.text() };
  };
  const stage: Stage = {
    installation,
    url,
    neighbour,
    attacker,
    call,
    ordinaryWork: (count, perSecond = PER_SECOND, warmUp = 0) =>
      runApart({ url, requests: ordinaryRequests(neighbour), some: TRAILS, perSecond, count, warmUp }),
  };
  for (const org of [neighbour, attacker]) await prepare(stage, org);
  return stage;
}

/** Pins processes to their core, with those that they start later. */
function pin(pid: number, core: string): void {
  const { status, stderr } = spawnSync('taskset', ['-a', '-c', '-p', core, String(pid)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`taskset: ${stderr}`);
}

/** All processes of the database server: the postmaster, and those that already serve a connection. */
async function backendsOf({ db }: Installation): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity`.execute(db);
  const first = spawnSync('ps', ['-o', 'ppid=', '-p', String(rows[0]?.pid)], { encoding: 'utf8' }).stdout.trim();
  return [Number(first), ...rows.map(({ pid }) => pid)];
}

type Step = [method: string, path: string, body: unknown];

async function prepare({ call }: Stage, org: Org): Promise<void> {
  const steps: Step[] = [
    [
      'PUT',
      `/flows/${org.name}`,
      { name: 'web', template: 'version: 1\ntrail:\n  attestations:\n    - name: tests\n      type: generic\n' },
    ],
    ...Array.from(
      { length: TRAILS },
      (_, trail): Step => ['PUT', `/trails/${org.name}/web`, { name: `build-${trail}` }],
    ),
    ['PUT', `/environments/${org.name}`, { name: 'prod', type: 'server' }],
  ];
  for (const [method, path, body] of steps) {
    const answer = await call(org, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
  }
}

function ordinaryRequests({ name: org, key }: Org): LoopRequest[] {
  const post = (path: string, body: object) => ({
    method: 'POST',
    path: `/api/v2${path}`,
    key,
    body: JSON.stringify(body),
  });
  const get = (path: string) => ({ method: 'GET', path: `/api/v2${path}`, key });
  return [
    post(`/attestations/${org}/web/trail/build-{some}/generic`, { attestation_name: 'tests', is_compliant: true }),
    get(`/trails/${org}/web/build-{some}`),
    { ...post(`/trails/${org}/web`, { name: 'run-{n}' }), method: 'PUT' },
    get(`/flows/${org}`),
    {
      ...post(`/environments/${org}/prod/report/server`, {
        artifacts: [{ digests: { app: 'a'.repeat(64) }, creationTimestamp: 1 }],
      }),
      method: 'PUT',
    },
    get(`/environments/${org}/prod`),
  ];
}

/** In a separate process, so that only the network lies between the two. */
export async function runApart(loop: OpenLoop): Promise<LoopResult> {
  const program = [process.execPath, join(import.meta.dirname, 'open-loop.ts'), JSON.stringify(loop)];
  const [command = '', ...args] = isPinned ? ['taskset', '-c', CALLER_CORE, ...program] : program;
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await text(child.stdout)) as LoopResult;
}
