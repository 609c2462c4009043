import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { unavailable } from '../../../platform/errors.ts';
import type { GuardedFetch } from '../../../platform/outbound/guarded-fetch.ts';

export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Finds the keys with which an issuer signs. Throws when they are unavailable. */
export type FindIssuerKeys = (issuer: string, kid: string) => Promise<KeySet>;

const ISSUERS_MAX = 200;
const KEYS_MAX = 100;
/** A key that the issuer has withdrawn is valid for at most this long. */
const FRESH_MS = 10 * 60_000;
/** An issuer is asked no more often than this, whatever tokens say about their keys. */
const ASK_AGAIN_MS = 30_000;
/** How long an issuer may be unreachable before its last known keys are no longer trusted. */
const BELIEVED_MS = 6 * 60 * 60_000;
const TIMEOUT_MS = 5_000;

const Discovery = z.looseObject({ issuer: z.string(), jwks_uri: z.string().max(2048) });
const Keys = z.looseObject({
  keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().optional() })).max(KEYS_MAX),
});

interface Known {
  set: KeySet | undefined;
  kids: ReadonlySet<string>;
  /** When the set was read. */
  readAt: number;
  askedAt: number;
  /** While the issuer is being asked: concurrent callers wait for the same answer. */
  asking: Promise<void> | undefined;
  failure: unknown;
}

export function createIssuerKeys(
  outbound: GuardedFetch,
  now: () => Date,
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): FindIssuerKeys {
  const issuers = new LRUCache<string, Known>({ max: ISSUERS_MAX });

  async function ask(issuer: string, known: Known): Promise<void> {
    known.askedAt = now().getTime();
    try {
      const keys = await readKeys(outbound, issuer, timeoutMs);
      known.set = createLocalJWKSet(keys);
      known.kids = new Set(keys.keys.flatMap(({ kid }) => kid ?? []));
      known.readAt = known.askedAt;
    } catch (error) {
      known.failure = error;
    } finally {
      known.asking = undefined;
    }
  }

  return async (issuer, kid) => {
    const known = issuers.get(issuer) ?? unknown();
    issuers.set(issuer, known);
    const age = now().getTime() - known.readAt;
    const isEnough = known.set && age < FRESH_MS && known.kids.has(kid);
    if (!isEnough) {
      if (!known.asking && now().getTime() - known.askedAt >= ASK_AGAIN_MS) known.asking = ask(issuer, known);
      await known.asking;
    }
    if (known.set && now().getTime() - known.readAt < BELIEVED_MS) return known.set;
    throw unavailable('The keys of the token issuer cannot be read. Try again later', {
      cause: known.failure,
      retryAfterSeconds: ASK_AGAIN_MS / 1000,
    });
  };
}

function unknown(): Known {
  const never = Number.NEGATIVE_INFINITY;
  return { set: undefined, kids: new Set(), readAt: never, askedAt: never, asking: undefined, failure: undefined };
}

async function readKeys(outbound: GuardedFetch, issuer: string, timeoutMs: number): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(timeoutMs);
  const read = async (url: string): Promise<unknown> => {
    const answer = await outbound(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
    if (answer.status !== 200) throw new Error(`${url} answered with status ${answer.status}`);
    return answer.json();
  };
  const discovered = Discovery.parse(await read(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`));
  if (discovered.issuer !== issuer) throw new Error(`${issuer} names another issuer in its metadata`);
  if (issuer.startsWith('https:') && !discovered.jwks_uri.startsWith('https:')) {
    throw new Error(`${issuer} does not serve its keys with https`);
  }
  return Keys.parse(await read(discovered.jwks_uri)) as JSONWebKeySet;
}
