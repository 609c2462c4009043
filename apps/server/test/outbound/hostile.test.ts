import { isIP } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { GuardedFetchOptions } from '../../src/platform/outbound/guarded-fetch.ts';
import { hostOf, parseOutboundUrl, restrictionOf } from '../../src/platform/outbound/outbound-url.ts';
import { isPublic, isSameAddress } from '../../src/platform/outbound/public-address.ts';
import type { Entry } from './dns-server.ts';
import { aliases, designedAgainst, type Expectation, furtherCases, type HostileCase } from './hostile-cases.ts';
import { anyPublic, type Outcome, outcomeOf, startLab } from './lab.ts';
import { secondList } from './second-list.ts';

type Second = (typeof secondList)[number];

const lab = await startLab([22, 80, 443, 6379, 8443]);
const requests: Outcome[] = [];

beforeEach(() => {
  lab.dns.reset();
  // Nothing may hide behind an unknown name.
  lab.dns.unknown = [anyPublic];
});

function fill(names: Record<string, Entry['answers']>): void {
  for (const [name, answers] of Object.entries(names)) {
    lab.dns.entries.set(name.toLowerCase().replace(/\.$/, ''), { answers });
  }
}

async function request(url: string | URL, options: Partial<GuardedFetchOptions> = {}): Promise<Outcome> {
  const outcome = await outcomeOf(lab, () => lab.guarded(options)(url, { method: 'POST', body: '{}' }));
  requests.push(outcome);
  return outcome;
}

function expectBlocked({ code, message, dialled }: Outcome): void {
  expect(dialled).toEqual([]);
  expect(['bad_url', 'blocked', 'unresolved']).toContain(code);
  expect(message).toBeTruthy();
}

/** The guard tried to connect to exactly these addresses. */
function expectAllowed({ code, dialled }: Outcome, addresses: readonly string[]): void {
  expect(code).toBe('failed');
  expect(new Set(dialled)).toEqual(new Set(addresses));
  expect(dialled.every(isPublic)).toBe(true);
}

/** What may be dialed for a URL whose host is an address, or else for what the host resolves to. */
function placesOf(url: string, answer: readonly string[] | undefined): readonly string[] {
  const host = hostOf(new URL(url));
  return isIP(host) ? [host] : (answer ?? [anyPublic]);
}

function expectationsOf({ answers = [[]], expect: all }: HostileCase): readonly Expectation[] {
  return typeof all === 'string' ? answers.map(() => all) : all;
}

const titleOf = ({ id, url, note }: { id: string; url: string; note: string }) =>
  `${id}: ${note}: ${JSON.stringify(url.slice(0, 80))}`;

function runs(cases: readonly HostileCase[]): void {
  it.each(cases.map((each) => [titleOf(each), each] as const))('%s', async (_title, each) => {
    const names = Object.fromEntries(Object.entries(aliases).map(([name, answer]) => [name, [answer]]));
    const host = URL.parse(each.url)?.hostname;
    fill({ ...names, ...(each.answers && host ? { [host]: each.answers } : {}) });

    for (const [round, expectation] of expectationsOf(each).entries()) {
      const outcome = await request(each.url);
      if (expectation === 'blocked') expectBlocked(outcome);
      else expectAllowed(outcome, placesOf(each.url, each.answers?.[round]));
      // A name is resolved once: there is no second answer that could differ.
      const asked = lab.dns.questions.filter(({ name, type }) => name === host && type === 'A');
      expect(asked.length).toBeLessThanOrEqual(round + 1);
    }
    expect(lab.inside.connections).toEqual([]);
  });

  it('are as harmless when they were parsed before', async () => {
    const parsed = cases.flatMap(({ url, answers }) => {
      const found = URL.parse(url);
      if (found && answers) fill({ [found.hostname]: answers });
      return found ?? [];
    });

    expect(parsed.length).toBeGreaterThan(cases.length / 2);
    // The hostile spelling is normalized by then, and the rest is refused for where it leads.
    for (const url of parsed) expect((await request(url)).dialled.filter((address) => !isPublic(address))).toEqual([]);
    expect(lab.inside.connections).toEqual([]);
  });
}

describe('the list that the guard was designed against', () => {
  runs(designedAgainst);

  it('is complete', () => {
    expect(designedAgainst).toHaveLength(114);
    expect(new Set(designedAgainst.map(({ id }) => id)).size).toBe(114);
  });
});

describe('further cases', () => runs(furtherCases));

/**
 * No record can hold a zone, or something that is not an address: the test passes such an answer to the guard directly.
 */
function resolverFor(answers: readonly (readonly string[])[]): Partial<GuardedFetchOptions> {
  if (answers.flat().every((item) => isIP(item) && !item.includes('%'))) return {};
  const rest = [...answers];
  return { resolve: async () => rest.shift() ?? [] };
}

describe('the list of somebody who did not read the guard', () => {
  it.each(secondList.map((each) => [titleOf(each), each] as const))('%s', async (_title, each: Second) => {
    const host = (URL.parse(each.url)?.hostname ?? '').replace(/\.$/, '');
    fill({ ...each.dns });
    const answers = lab.dns.entries.get(host)?.answers as readonly (readonly string[])[] | undefined;
    const options = resolverFor(answers ?? []);

    const first = await request(each.url, options);
    if (each.expect === 'blocked') expectBlocked(first);
    else expectAllowed(first, placesOf(each.url, answers?.[0]).map(inShort));
    // The expectation is about the first request; a later one must at least be safe.
    for (let turn = 1; turn < (answers?.length ?? 1); turn += 1) {
      const { dialled } = await request(each.url, options);
      expect(dialled.filter((address) => !isPublic(address))).toEqual([]);
    }
    expect(lab.inside.connections).toEqual([]);
  });

  it('has names of its own for its cases', () => {
    expect(new Set(secondList.map(({ id }) => id)).size).toBe(secondList.length);
  });
});

/** As a resolver writes an address that it got as bytes. */
function inShort(address: string): string {
  return isIP(address) === 6 ? new URL(`https://[${address}]`).hostname.slice(1, -1) : address;
}

it('would notice a connection to the inside', async () => {
  const permissive = lab.guarded({ allowedNetworks: ['127.0.0.0/8', '::1/128'] });
  const before = lab.inside.connections.length;
  for (const place of lab.inside.listening) {
    const port = place.slice(place.lastIndexOf(':') + 1);
    const address = place.slice(0, place.lastIndexOf(':'));
    fill({ 'inside.example.org': [[address]] });
    const { dialled } = await outcomeOf(lab, () => permissive(`http://inside.example.org:${port}/`));
    expect(dialled.every((each) => isSameAddress(each, address))).toBe(true);
  }

  expect(lab.inside.connections.splice(before)).toEqual(lab.inside.listening);
});

it('does not even ask for names of inside, nor for URLs that can only be refused', async () => {
  const urls = [
    'https://metadata.google.internal/',
    'https://postgres/',
    'http://hooks.example.org/',
    'https://10.0.0.1/',
  ];
  for (const url of urls) expectBlocked(await request(url));

  expect(lab.dns.questions).toEqual([]);
});

it('knows without DNS what can be refused when a URL is saved', () => {
  const isRefusedAtOnce = (url: string) => {
    try {
      return restrictionOf(parseOutboundUrl(url)) !== undefined;
    } catch {
      return true;
    }
  };

  const refusedLater = designedAgainst.filter(({ url }) => !isRefusedAtOnce(url));
  expect(refusedLater.filter(({ expect: outcome, answers }) => outcome === 'blocked' && !answers)).toEqual([]);
  expect(114 - refusedLater.length).toBe(98);
});

it('tells how many cases there were', async ({ annotate }) => {
  const cases = designedAgainst.length + furtherCases.length + secondList.length;
  const refused = requests.filter(({ code }) => code !== 'failed').length;
  const message =
    `${cases} hostile and harmless URLs (${designedAgainst.length} of the design, ${furtherCases.length} further, ` +
    `${secondList.length} of a second list) in ${requests.length} requests: ${refused} refused, ` +
    `${requests.length - refused} to public addresses only, ${lab.inside.connections.length} connections to ` +
    `${lab.inside.listening.length} listeners inside`;
  await annotate(message);

  expect(requests.every(({ dialled }) => dialled.every(isPublic))).toBe(true);
  expect(lab.inside.connections).toEqual([]);
});

afterAll(() => expect(lab.inside.connections).toEqual([]));
