import { createHash } from 'node:crypto';
import { isStorableText } from '@waymark/contract';
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import type { KeySet } from './issuer-keys.ts';
import type { TokenClaims } from './required-claims.ts';

/** Signatures with a key pair only: with a shared secret, whoever can verify could sign. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

const SKEW_S = 30;
const AGE_MAX_S = 10 * 60;
/** GitLab makes tokens that live as long as the job may run. The age limit bounds the use of a stolen one. */
const LIFETIME_MAX_S = 24 * 60 * 60;
const JTI_MAX_LENGTH = 256;
const SUBJECT_MAX_LENGTH = 1024;

/** The issuer and key that a token names. Nothing of it is proven yet. */
interface ClaimedIssuer {
  readonly issuer: string;
  readonly kid: string;
}

export function readClaimedIssuer(token: string): ClaimedIssuer | undefined {
  const header = attempt(() => decodeProtectedHeader(token));
  const issuer = attempt(() => decodeJwt(token))?.iss;
  const isOurs = header && ALGORITHMS.includes(String(header.alg)) && header.crit === undefined;
  if (!isOurs || typeof header.kid !== 'string' || typeof issuer !== 'string') return undefined;
  return /^https?:\/\/[!-~]{1,512}$/.test(issuer) ? { issuer, kid: header.kid } : undefined;
}

/** The claims that the issuer signed; undefined if it did not sign this token. */
export async function verifiedPayload(token: string, issuer: string, keys: KeySet): Promise<TokenClaims | undefined> {
  try {
    const { payload } = await compactVerify(token, keys, { algorithms: ALGORITHMS });
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    return isPayload(claims) && claims['iss'] === issuer ? claims : undefined;
  } catch {
    // The sender does not need to know whether the signature, the key or the form is wrong.
    return undefined;
  }
}

export interface JobToken {
  readonly subject: string;
  /** From the claim `jti`, or made from what was signed. */
  readonly jti: string;
  /** From then on it would be refused for its age. */
  readonly tooOldAt: Date;
}

/** Checks a verified token against what all tokens must be, or returns what is wrong with it. */
export function readJobToken(
  token: string,
  payload: TokenClaims,
  { audience, now }: { audience: string; now: Date },
): { ok: true; token: JobToken } | { ok: false; reason: string } {
  const { sub, iat } = payload;
  const jti = payload['jti'] === undefined ? digestOf(token) : payload['jti'];
  const reason = audienceFault(payload, audience) ?? timeFault(payload, now.getTime() / 1000);
  if (reason) return { ok: false, reason };
  if (!isText(jti, JTI_MAX_LENGTH)) return { ok: false, reason: 'its claim jti is not a valid id' };
  if (!isText(sub, SUBJECT_MAX_LENGTH)) return { ok: false, reason: 'it requires a subject in the claim sub' };
  const tooOldAt = new Date((Number(iat) + AGE_MAX_S + SKEW_S) * 1000);
  return { ok: true, token: { subject: sub, jti, tooOldAt } };
}

/**
 * Identifies a token without a `jti`. The signature does not count: without the key, anyone can turn an ECDSA signature
 * into another valid one.
 */
function digestOf(token: string): string {
  const signed = token.slice(0, token.lastIndexOf('.'));
  return `sha256:${createHash('sha256').update(signed).digest('hex')}`;
}

/** Any of several audiences could pass the token on. */
function audienceFault({ aud }: TokenClaims, audience: string): string | undefined {
  const audiences = [aud].flat();
  return audiences.length === 1 && audiences[0] === audience ? undefined : `its only audience must be ${audience}`;
}

function timeFault({ exp, iat, nbf }: TokenClaims, now: number): string | undefined {
  if (!isTime(exp) || !isTime(iat)) return 'its claims iat and exp must say when it was issued and when it expires';
  if (nbf !== undefined && !isTime(nbf)) return 'its claim nbf must be a time';
  if (exp <= now - SKEW_S) return 'it has expired';
  if (iat > now + SKEW_S || (nbf ?? 0) > now + SKEW_S) return 'it is not valid yet';
  if (iat < now - AGE_MAX_S - SKEW_S) return `it is older than ${AGE_MAX_S / 60} minutes: request a new one`;
  return exp - iat > LIFETIME_MAX_S ? `it is valid for more than ${LIFETIME_MAX_S / 3600} hours` : undefined;
}

/** A time that the database can store as well. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 1e11;
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength && isStorableText(value);
}

function isPayload(value: unknown): value is TokenClaims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
