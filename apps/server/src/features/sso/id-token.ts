import { createHmac } from 'node:crypto';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { findOutboundError } from '../../platform/outbound/outbound-error.ts';
import { UnusableIssuer } from './issuer.ts';

/** How far an identity provider's clock may be ahead of ours. */
const CLOCK_TOLERANCE_S = 60;

/** What an identity provider asserts about a person. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/** Why a person is refused, in words that an admin can act on. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/**
 * Secrets of this attempt in this browser. They are derived, not stored: neither our database nor the redirect URL
 * holds what it takes to finish somebody's attempt.
 */
export function secretsOf(browserSecret: string, state: string): { nonce: string; verifier: string } {
  const derive = (what: string) =>
    createHmac('sha256', browserSecret).update(`${what} of ${state}`).digest('base64url');
  return { nonce: derive('nonce'), verifier: derive('verifier') };
}

export async function authorizationUrl(
  configuration: oidc.Configuration,
  attempt: { state: string; browserSecret: string; redirectUri: string },
): Promise<string> {
  const { nonce, verifier } = secretsOf(attempt.browserSecret, attempt.state);
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: attempt.redirectUri,
    scope: 'openid email profile',
    state: attempt.state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return url.href;
}

/** Exchanges the authorization code, and trusts the result only after all checks. */
export async function claimsFrom(
  configuration: oidc.Configuration,
  callback: { url: URL; state: string; browserSecret: string; now: Date },
): Promise<Claims> {
  const { nonce, verifier } = secretsOf(callback.browserSecret, callback.state);
  const { issuer, userinfo_endpoint: userInfo } = configuration.serverMetadata();
  // So that a code of one identity provider is never sent to another.
  if ((callback.url.searchParams.get('iss') ?? issuer) !== issuer) throw new Refused(FAULTS['iss']);
  try {
    const tokens = await oidc.authorizationCodeGrant(configuration, callback.url, {
      expectedState: callback.state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Refused('The identity provider sent no ID token');
    if (claims.iat > callback.now.getTime() / 1000 + CLOCK_TOLERANCE_S) {
      throw new Refused(
        'The ID token was issued in the future: compare the clocks of the identity provider and this server',
      );
    }
    const isAll = claims['email'] !== undefined || userInfo === undefined;
    const more = isAll ? {} : await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return toClaims({ ...claims, ...more, iss: claims.iss, sub: claims.sub });
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(reasonOf(error), { cause: error });
  }
}

const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value));

const IdTokenClaims = z.object({
  iss: z.string(),
  sub: line(255),
  email: line(320)
    .regex(/^[^@\s]+@[^@\s]+$/)
    .nullable()
    .catch(null),
  email_verified: z.boolean().catch(false),
  name: line(255).nullable().catch(null),
});

function toClaims(claims: unknown): Claims {
  const parsed = IdTokenClaims.safeParse(claims);
  if (!parsed.success)
    throw new Refused('The identity provider did not identify a person: `sub` is missing or not valid');
  const { iss, sub, email, email_verified, name } = parsed.data;
  return { issuer: iss, subject: sub, email, emailVerified: email_verified, name };
}

/** Translates the error of the library. It never quotes what was sent, which may be a token. */
export function reasonOf(error: unknown): string {
  const outbound = findOutboundError(error);
  if (outbound) return `The identity provider cannot be reached: ${outbound.message}`;
  if (error instanceof UnusableIssuer) return `The issuer ${error.message}`;
  if (error instanceof oidc.AuthorizationResponseError) return `The identity provider answered ${code(error.error)}`;
  if (error instanceof oidc.ResponseBodyError) {
    return (
      `The identity provider rejected the code with ${code(error.error)}: check client, client secret, and ` +
      'redirect URI'
    );
  }
  if (error instanceof oidc.WWWAuthenticateChallengeError) {
    return 'The identity provider rejected the client: check client and client secret';
  }
  return error instanceof oidc.ClientError ? faultOf(error) : 'The response of the identity provider cannot be read';
}

const FAULTS: Readonly<Record<string, string>> = {
  aud: 'The ID token is for another client: check the client in the configuration',
  iss: 'The response comes from another issuer than the configured one',
  nonce: 'The ID token was issued for another sign-in',
  azp: 'The ID token was issued for another client',
  sub: "The identity provider's responses are about two different people",
};

function faultOf(error: oidc.ClientError): string {
  if (error.code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') {
    return 'The ID token has expired or is not valid yet: compare the clocks of the identity provider and this server';
  }
  if (error.code === 'OAUTH_KEY_SELECTION_FAILED')
    return 'The ID token is signed with a key that the issuer does not publish';
  return (
    FAULTS[claimIn(error) ?? ''] ?? 'The ID token is not valid: its format, signature, or algorithm is not accepted'
  );
}

/** The library names the faulty claim one or two causes deep. */
function claimIn(thrown: Error): string | undefined {
  let cause: unknown = thrown.cause;
  for (let depth = 0; depth < 3 && typeof cause === 'object' && cause !== null; depth += 1) {
    if ('claim' in cause && typeof cause.claim === 'string') return cause.claim;
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  return undefined;
}

function code(text: string): string {
  return /^[a-z_]{1,64}$/.test(text) ? `"${text}"` : 'with an error';
}
