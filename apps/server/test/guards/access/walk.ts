import { type Contract, fillPath } from '@waymark/contract';
import type { InjectOptions } from 'fastify';
import { csrfTokenOf, SESSION_COOKIE } from '../../../src/platform/http/session-cookie.ts';
import type { TestApi } from '../../harness.ts';
import type { Armed } from './callers.ts';
import { expected, isBySession, type Org, type Outcome, type Way, ways } from './expected.ts';

const MAX_CONCURRENT = 64;

export interface Walked {
  readonly checks: number;
  /** One line per request with an unexpected response. */
  readonly differences: readonly string[];
}

/** Sends every operation as every caller in every way to every org, and compares with what is expected. */
export async function walk(
  api: TestApi,
  operations: readonly Contract[],
  callers: readonly Armed[],
  orgs: readonly Org[],
): Promise<Walked> {
  const checks = operations.flatMap((contract) => checksOf(contract, callers, orgs));
  const differences: string[] = [];
  for (let first = 0; first < checks.length; first += MAX_CONCURRENT) {
    const found = await Promise.all(
      checks.slice(first, first + MAX_CONCURRENT).map((check) => differenceIn(api, check)),
    );
    differences.push(...found.filter((difference) => difference !== undefined));
  }
  return { checks: checks.length, differences };
}

interface Check {
  readonly contract: Contract;
  readonly caller: Armed;
  readonly way: Way;
  readonly org: Org;
}

function checksOf(contract: Contract, callers: readonly Armed[], orgs: readonly Org[]): Check[] {
  const asked = contract.path.includes('/:org') ? orgs : orgs.slice(0, 1);
  return asked.flatMap((org) =>
    callers.flatMap((caller) =>
      ways
        .filter((way) => !isBySession(way) || caller.session !== undefined)
        .map((way) => ({ contract, caller, way, org })),
    ),
  );
}

async function differenceIn(api: TestApi, { contract, caller, way, org }: Check): Promise<string | undefined> {
  const wanted = expected(contract, caller, way, org);
  const answer = await api.inject(requestOf(contract, caller, way, org));
  if (fits({ contract, caller, way, org }, wanted, answer)) return undefined;
  const [right, got] = [JSON.stringify(wanted), JSON.stringify(answer.body)?.slice(0, 200)];
  return `${contract.id} in ${org.name} by ${caller.name}, ${way}: ${right} expected, got ${answer.status} ${got}`;
}

/**
 * Accepted requests must fail while their input is read, where they could change something or would not end: bodies are
 * broken on purpose, and so is the query of event streams.
 */
function requestOf(contract: Contract, caller: Armed, way: Way, org: Org): InjectOptions {
  const path = fillPath(contract, (name) => (name === 'org' ? org.name : `no-${name}`));
  return {
    method: contract.method,
    url: `/api/v2${path}${contract.replyType === 'text/event-stream' ? '?topics=?' : ''}`,
    headers: {
      ...credentialOf(caller, way),
      ...(contract.beta && { 'waymark-beta': contract.beta }),
      ...(contract.method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(contract.method !== 'GET' && { payload: '{' }),
  };
}

function credentialOf({ key, session = '' }: Armed, way: Way): Record<string, string> {
  if (way === 'bearer') return key === '' ? {} : { authorization: `Bearer ${key}` };
  if (way === 'basic') return { authorization: `Basic ${Buffer.from(`${key}:any`).toString('base64')}` };
  return {
    ...(session !== '' && { cookie: `other=1; ${SESSION_COOKIE}=${session}` }),
    ...(way !== 'session without its token' && { 'x-csrf-token': csrfTokenOf(session) }),
    ...(way === 'session from another site' && { origin: 'https://elsewhere.test' }),
  };
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

function fits({ contract }: Check, wanted: Outcome, answer: Answered): boolean {
  if (wanted !== 'let in') return isRefusal(contract, wanted, answer);
  return contract.method === 'GET'
    ? ![401, 403].includes(answer.status) && answer.status < 500
    : [400, 404].includes(answer.status);
}

/** Contains the reason, and nothing else. */
function isRefusal(
  { access, basicAuth }: Contract,
  wanted: { status: number; message: string },
  answer: Answered,
): boolean {
  const ways = basicAuth ? 'Bearer, Basic realm="Waymark"' : 'Bearer';
  const challenge = wanted.status === 401 ? ways : undefined;
  if (answer.status !== wanted.status || answer.headers['www-authenticate'] !== challenge) return false;
  if (access === 'scim') return (answer.body as { detail?: unknown }).detail === wanted.message;
  const { request_id: _, ...rest } = answer.body as { request_id?: unknown };
  return JSON.stringify(rest) === JSON.stringify({ message: wanted.message });
}
