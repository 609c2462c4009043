import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type OidcProvider, startProvider } from '../../apps/server/test/oidc/start-provider.ts';
import { locationOf, newWanderer } from '../../apps/server/test/oidc/wanderer.ts';
import { percentile } from './evidence/clients.ts';
import { type Installation, install, serviceRoots } from './installation.ts';
import { print, untilQuiet } from './rounds.ts';
import { setting } from './settings.ts';

const PEOPLE = setting('BENCH_PEOPLE', 500);
const TARGET_PER_SECOND = setting('BENCH_SIGN_INS', 200);
const SECONDS = setting('BENCH_SECONDS', 30);
const CONCURRENCY = setting('BENCH_AT_ONCE', 64);
/** The server's budget for one sign-in: one processor's time at the target rate. */
const CEILING_MS = 5;

/**
 * Measures how many people per second can sign in through an identity provider, as after an outage. The provider and
 * this program share the machine with the server, so the server's own cost of a sign-in is reported as well.
 */
export async function benchSignIn(): Promise<boolean> {
  const installation = await install();
  Object.assign(installation.env, {
    WAYMARK_OUTBOUND_NETWORKS: '127.0.0.0/8',
    WAYMARK_SIGN_IN_PER_ADDRESS: '100000000',
  });
  const provider = await startProvider({ redirectUris: [`${installation.url}/sign-in/*/callback`] });
  const api = await installation.start('api');
  try {
    await configure(installation, provider);
    await signInEach(PEOPLE, CONCURRENCY, (i) => signIn(installation, provider, `person-${i}`));
    const pids = { server: api.pid, provider: provider.pid, driver: process.pid };
    const result = await untilQuiet(
      serviceRoots(),
      () => measure(pids, (i) => signIn(installation, provider, `person-${i % PEOPLE}`)),
      tell,
    );
    print(JSON.stringify({ name: 'sign-in', ...result }));
    return result.errors === 0 && (result.milliseconds['server'] ?? Infinity) <= CEILING_MS;
  } finally {
    await api.stop();
    await provider.stop();
    installation.remove();
  }
}

interface Result {
  readonly perSecond: number;
  readonly errors: number;
  readonly p50: number;
  readonly p99: number;
  /** Of processor time for one sign-in, by process. */
  readonly milliseconds: Readonly<Record<string, number>>;
}

async function configure({ admin, url }: Installation, provider: OidcProvider): Promise<void> {
  admin('user', 'create', 'ada', '--org', 'acme', '--role', 'admin');
  const key = admin('key', 'create', '--user', 'ada');
  const answer = await fetch(`${url}/api/v2/organizations/acme/sso`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ issuer: provider.issuer, client_id: provider.clientId }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** The whole sign-in, as of a new browser: our page, the identity provider, and back. */
async function signIn({ url }: Installation, provider: OidcProvider, login: string): Promise<void> {
  const go = newWanderer();
  const page = await (await go(`${url}/sign-in/acme`)).text();
  const start = /href="([^"]*\/start[^"]*)"/.exec(page)?.[1];
  if (start === undefined) throw new Error('the page has no link to the identity provider');
  const back = await provider.signIn(await locationOf(await go(url + start.replaceAll('&amp;', '&'))), login);
  const end = await locationOf(await go(back));
  if (end !== `${url}/account`) throw new Error(`it led to ${end}`);
}

async function signInEach(count: number, concurrency: number, one: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** At the target rate, or as fast as possible. */
async function measure(pids: Readonly<Record<string, number>>, one: (i: number) => Promise<void>): Promise<Result> {
  const taken: number[] = [];
  let errors = 0;
  const before = processorTimes(pids);
  const started = performance.now();
  await signInEach(TARGET_PER_SECOND * SECONDS, CONCURRENCY, async (i) => {
    const due = started + (i / TARGET_PER_SECOND) * 1000;
    if (due > performance.now()) await wait(due - performance.now());
    const begun = performance.now();
    await one(i).catch((error: unknown) => {
      errors += 1;
      if (errors <= 3) print(String(error));
    });
    taken.push(performance.now() - begun);
  });
  const seconds = (performance.now() - started) / 1000;
  taken.sort((a, b) => a - b);
  const after = processorTimes(pids);
  const spent = Object.keys(pids).map((name) => [
    name,
    Number((((after[name] ?? 0) - (before[name] ?? 0)) / taken.length).toFixed(2)),
  ]);
  return {
    perSecond: Math.round(taken.length / seconds),
    errors,
    p50: Math.round(percentile(taken, 0.5)),
    p99: Math.round(percentile(taken, 0.99)),
    milliseconds: Object.fromEntries(spent),
  };
}

function tell({ perSecond, errors, p50, p99, milliseconds }: Result, others: string): void {
  const spent = Object.entries(milliseconds).map(([name, ms]) => `${name} ${ms} ms`);
  print(`${perSecond} sign-ins a second, ${errors} errors, p50 ${p50} ms, p99 ${p99} ms; others took ${others}`);
  print(`processor time for one: ${spent.join(', ')}`);
}

const TICK_MS = 10;

function processorTimes(pids: Readonly<Record<string, number>>): Record<string, number> {
  const times = Object.entries(pids).map(([name, pid]) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [name, (Number(fields[11]) + Number(fields[12])) * TICK_MS];
  });
  return Object.fromEntries(times) as Record<string, number>;
}
