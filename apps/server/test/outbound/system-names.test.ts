import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { systemNames } from '../../src/platform/outbound/resolve-name.ts';
import type { Answer, Entry } from './dns-server.ts';
import { anyPublic, outcomeOf, startLab } from './lab.ts';

const system = vi.hoisted(() => ({ servers: [] as string[], pending: 0 }));

// As if the DNS server of the lab were the one that the system is configured with.
vi.mock('node:dns/promises', async (original) => {
  const real = await original<typeof import('node:dns/promises')>();
  class Resolver extends real.Resolver {
    constructor(options?: ConstructorParameters<typeof real.Resolver>[0]) {
      super(options);
      this.setServers(system.servers);
      for (const type of ['resolve4', 'resolve6', 'resolveCname'] as const) {
        const ask: (name: string) => Promise<string[]> = this[type].bind(this);
        Object.assign(this, { [type]: (name: string) => counted(ask(name)) });
      }
    }
  }
  const counted = <T>(question: Promise<T>): Promise<T> => {
    system.pending += 1;
    return question.finally(() => {
      system.pending -= 1;
    });
  };
  const lookup = () => Promise.reject(new Error('This would wait in a thread'));
  return { ...real, Resolver, lookup };
});

const lab = await startLab();
system.servers = [lab.dns.address];

const server = createServer((_request, response) => void response.end('here'));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.5', resolve));
const { port } = server.address() as AddressInfo;
afterAll(() => void server.close());

beforeEach(() => {
  lab.dns.reset();
  lab.dns.unknown = 'nxdomain';
});

function given(name: string, answer: Answer, more: Omit<Entry, 'answers'> = {}): void {
  lab.dns.entries.set(name, { answers: [answer], ...more });
}

/** Without servers of its own. */
function guarded(timeoutMs = 5000) {
  return lab.guarded({ allowedNetworks: ['127.0.0.5/32'], dnsServers: [], timeoutMs });
}

const asked = (name: string) => lab.dns.questions.filter((question) => question.name === name).length;

/** Pending queries to DNS servers. */
const pending = () => system.pending;

it.each(['hooks.example.org', 'keycloak', 'keycloak.auth.svc'])(
  'asks the servers of the system for %s, and never below a search domain',
  async (name) => {
    given(name, ['127.0.0.5']);

    const { response } = await outcomeOf(lab, () => guarded()(`http://${name}:${port}/`));
    expect(await response?.text()).toBe('here');
    expect(new Set(lab.dns.questions.map((question) => question.name))).toEqual(new Set([name]));
  },
);

it('refuses a name that is an alias of one of inside', async () => {
  given('hooks.example.org', ['metadata.google.internal']);
  given('metadata.google.internal', [anyPublic]);

  expect(await outcomeOf(lab, () => guarded()('https://hooks.example.org/'))).toMatchObject({ code: 'blocked' });
});

it('is not delayed by names whose servers do not respond, and nor are files', async () => {
  const unresponsive = Array.from({ length: 50 }, (_, index) => `silent${index}.example.org`);
  for (const name of unresponsive) given(name, 'no-answer');
  given('hooks.example.org', ['127.0.0.5']);
  const call = guarded(2500);
  const waiting = unresponsive.map((name) => outcomeOf(lab, () => call(`https://${name}/`)));
  await expect.poll(() => unresponsive.every((name) => asked(name) > 0)).toBe(true);

  const begun = performance.now();
  expect((await call(`http://hooks.example.org:${port}/`)).status).toBe(200);
  await stat('/');
  expect(performance.now() - begun).toBeLessThan(1000);
  expect(pending()).toBeGreaterThan(100);
  expect(new Set((await Promise.all(waiting)).map(({ code }) => code))).toEqual(new Set(['timeout']));
  await expect.poll(pending).toBe(0);
});

it('gives up its questions with the request, and no others', async () => {
  given('silent.example.org', 'no-answer');
  given('late.example.org', ['127.0.0.5'], { delayMs: 700 });
  const call = guarded();
  const late = call(`http://late.example.org:${port}/`);
  const stopped = call('https://silent.example.org/', { signal: AbortSignal.timeout(300) });

  await expect(stopped).rejects.toMatchObject({ name: 'TimeoutError' });
  expect((await outcomeOf(lab, () => guarded(300)('https://silent.example.org/'))).code).toBe('timeout');
  expect((await late).status).toBe(200);
  // Queries that nobody cancelled would have been repeated by then.
  await wait(2500);
  expect(asked('silent.example.org')).toBe(6);
  expect(pending()).toBe(0);
});

it.each(['servfail', 'no-answer'] as const)(
  'calls what is permitted though questions for its aliases are met with %s',
  async (answer) => {
    given('keycloak', ['127.0.0.5'], { only: { CNAME: answer } });

    // Waiting for aliases without an answer takes longer than this request may.
    expect((await guarded()(`http://keycloak:${port}/`)).status).toBe(200);
    await expect.poll(pending).toBe(0);
  },
);

it('finds in the hosts file what is there, and asks for nothing of it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'hosts'), '10.0.0.5 idp.acme.org keycloak\nfd00::5 idp.acme.org\n');
  given('hooks.example.org', [anyPublic]);
  const find = systemNames(join(folder, 'hosts'));
  const { signal } = new AbortController();

  const found = await find('idp.acme.org', signal);
  expect([found.addresses, await found.aliases]).toEqual([['10.0.0.5', 'fd00::5'], []]);
  expect((await find('keycloak', signal)).addresses).toEqual(['10.0.0.5']);
  expect(lab.dns.questions).toEqual([]);
  expect((await find('hooks.example.org', signal)).addresses).toEqual([anyPublic]);
});

it('asks nothing when the time is over before', async () => {
  given('hooks.example.org', [anyPublic]);

  await expect(systemNames('/nowhere')('hooks.example.org', AbortSignal.abort())).rejects.toThrow('aborted');
  expect([lab.dns.questions, pending()]).toEqual([[], 0]);
});
