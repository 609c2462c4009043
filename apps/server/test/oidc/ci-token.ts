import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';

/** A signing key of an issuer. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly publicJwk: JWK;
  readonly privateKey: CryptoKey;
}

/** Claims of a token; undefined ones are left out. */
export interface Wanted {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: SigningKey;
}

export async function newSigningKey(alg = 'RS256', kid: string = randomUUID()): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** A key that was published to another process. */
export async function readSigningKey(kid: string, alg: string, privateJwk: JWK): Promise<SigningKey> {
  const { d: _, ...publicJwk } = privateJwk;
  return { kid, alg, publicJwk, privateKey: (await importJWK(privateJwk, alg)) as CryptoKey };
}

/** A token like that of a GitHub Actions job. */
export function mintToken(
  { iss, aud, at }: { iss: string; aud: string; at: Date },
  key: SigningKey,
  { claims = {}, header = {} }: Omit<Wanted, 'key'>,
): Promise<string> {
  const now = Math.floor(at.getTime() / 1000);
  const payload = {
    ...{ iss, aud, sub: 'repo:acme/web:ref:refs/heads/main', jti: randomUUID() },
    ...{ iat: now, nbf: now - 5, exp: now + 300 },
    ...{ repository: 'acme/web', repository_id: '1296269', repository_owner: 'acme', repository_owner_id: '77' },
    ...{ ref: 'refs/heads/main', ref_type: 'branch', sha: 'c'.repeat(40), event_name: 'push', run_id: '42' },
    ...{ workflow_ref: 'acme/web/.github/workflows/ci.yml@refs/heads/main', actor: 'octo', actor_id: '583231' },
    ...claims,
  };
  return new SignJWT(payload)
    .setProtectedHeader({ typ: 'JWT', alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);
}
