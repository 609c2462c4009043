import { LRUCache } from 'lru-cache';
import * as oidc from 'openid-client';
import { z } from 'zod';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.ts';
import { findOutboundError } from '../../platform/outbound/outbound-error.ts';
import { systemClock } from '../../platform/time.ts';

/** Cache time of what the issuer publishes; unknown keys are requested sooner. */
const KNOWN_FOR_MS = 10 * 60_000;
const CACHE_SIZE = 1_000;
/** Keys in one set: the set of a busy issuer is read again and again. */
const MAX_KEYS = 100;
/** The library requests unknown keys only when those it has are this old. */
const ASK_AGAIN_S = 60;

/** Signatures by a key that only the issuer has. None can be made from what the issuer publishes. */
export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** Why an issuer cannot be used, for the admin who named it. */
export class UnusableIssuer extends Error {
  override readonly name = 'UnusableIssuer';
}

export interface IssuerClient {
  /** Changes whenever a new configuration is needed. */
  readonly settingId: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
}

export interface Issuers {
  /** Requests the issuer's metadata, each time. */
  read(issuer: string): Promise<oidc.ServerMetadata>;
  /** The client configuration for one setting; cached for a while. */
  clientFor(client: IssuerClient, now: Date): Promise<oidc.Configuration>;
}

/** All calls go through `outbound`: admins of orgs choose the addresses. */
export function createIssuers(outbound: GuardedFetch): Issuers {
  const known = new LRUCache<string, { until: number; configuration: Promise<oidc.Configuration> }>({
    max: CACHE_SIZE,
  });
  return {
    read: (issuer) => readMetadata(outbound, issuer),
    clientFor(client, now) {
      const found = known.get(client.settingId);
      if (found && found.until > now.getTime()) return found.configuration;
      const configuration = connect(outbound, client);
      known.set(client.settingId, { until: now.getTime() + KNOWN_FOR_MS, configuration });
      // The next caller tries again.
      configuration.catch(() => known.delete(client.settingId));
      return configuration;
    },
  };
}

async function connect(outbound: GuardedFetch, client: IssuerClient): Promise<oidc.Configuration> {
  const metadata = await readMetadata(outbound, client.issuer);
  if (metadata.issuer !== client.issuer) throw new UnusableIssuer(`now identifies itself as ${metadata.issuer}`);
  const signed = { ...metadata, id_token_signing_alg_values_supported: algorithmsOf(metadata) };
  const configuration = new oidc.Configuration(signed, client.clientId, {}, proofOf(client, metadata));
  configuration[oidc.customFetch] = outbound;
  permitHttp(client.issuer)(configuration);
  // Otherwise the library does not verify the signature of an ID token that comes directly from the issuer.
  oidc.enableNonRepudiationChecks(configuration);
  oidc.setJwksCache(configuration, await readKeys(outbound, metadata));
  return configuration;
}

async function readMetadata(outbound: GuardedFetch, issuer: string): Promise<oidc.ServerMetadata> {
  const url = URL.parse(issuer);
  if (!url || !/^https?:$/.test(url.protocol)) throw new UnusableIssuer('must be a URL that begins with https://');
  if (/[?#]/.test(issuer)) throw new UnusableIssuer('must not have a query or a fragment');
  if (issuer.includes('/.well-known/'))
    throw new UnusableIssuer('must be the issuer itself, without /.well-known/ and the rest');
  try {
    const found = await oidc.discovery(url, 'unknown', {}, oidc.None(), {
      [oidc.customFetch]: outbound,
      execute: [permitHttp(issuer)],
    });
    return usable(found.serverMetadata(), url);
  } catch (error) {
    if (error instanceof UnusableIssuer) throw error;
    throw new UnusableIssuer(`cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** The guard decides whether plain http is allowed there: it knows the networks that the operator permits. */
function permitHttp(issuer: string): (configuration: oidc.Configuration) => void {
  return issuer.startsWith('http:') ? oidc.allowInsecureRequests : () => undefined;
}

function usable(metadata: oidc.ServerMetadata, url: URL): oidc.ServerMetadata {
  if (URL.parse(metadata.issuer)?.href !== url.href) {
    throw new UnusableIssuer(`cannot be read: it identifies itself as ${metadata.issuer.slice(0, 200)}`);
  }
  for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    if (URL.parse(metadata[endpoint] ?? '')?.protocol !== url.protocol) {
      throw new UnusableIssuer(`cannot be used: it publishes no ${endpoint} that begins with ${url.protocol}//`);
    }
  }
  if (algorithmsOf(metadata).length === 0) {
    throw new UnusableIssuer(`cannot be used: it signs with none of ${ALGORITHMS.join(', ')}`);
  }
  if (metadata.code_challenge_methods_supported?.includes('S256') === false) {
    throw new UnusableIssuer('cannot be used: it does not support PKCE with S256');
  }
  return metadata;
}

function algorithmsOf({ id_token_signing_alg_values_supported: supported }: oidc.ServerMetadata): string[] {
  return ALGORITHMS.filter((algorithm) => (supported ?? ['RS256']).includes(algorithm));
}

function proofOf({ clientSecret }: IssuerClient, metadata: oidc.ServerMetadata): oidc.ClientAuth {
  if (clientSecret === null) return oidc.None();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic')
    ? oidc.ClientSecretBasic(clientSecret)
    : oidc.ClientSecretPost(clientSecret);
}

const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(MAX_KEYS) });

async function readKeys(outbound: GuardedFetch, metadata: oidc.ServerMetadata): Promise<oidc.ExportedJWKSCache> {
  try {
    const response = await outbound(metadata.jwks_uri ?? '', { headers: { accept: 'application/json' } });
    if (response.status !== 200)
      throw new UnusableIssuer(`keys cannot be read: the response status is ${response.status}`);
    const jwks = Keys.parse(await response.json()) as oidc.JWKS;
    // The library compares it with the machine's clock. An issuer may change its key a moment after we asked: it is
    // asked once more at the first token with another key, and after that no more often than the library would.
    return { jwks, uat: Math.floor(systemClock().getTime() / 1000) - ASK_AGAIN_S };
  } catch (error) {
    if (error instanceof UnusableIssuer) throw error;
    const reason = findOutboundError(error)?.message ?? 'the response is not a key set';
    throw new UnusableIssuer(`keys cannot be read: ${reason}`, { cause: error });
  }
}

/** In our own words; the library's are for developers. */
function reasonOf(error: unknown): string {
  const outbound = findOutboundError(error);
  if (outbound) return outbound.message;
  const code = error instanceof oidc.ClientError ? error.code : undefined;
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') return 'its published configuration is for another issuer';
  return 'no OpenID Connect configuration found at /.well-known/openid-configuration';
}
