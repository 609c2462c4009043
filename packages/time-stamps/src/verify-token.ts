import type { Certificate } from './certificate.ts';
import { checkChain, checkPurpose } from './certificate-chain.ts';
import { TAGS } from './element.ts';
import { oidOf, sameBytes } from './fields.ts';
import { parseSignedData, type SignedData } from './signed-data.ts';
import { checkSigningCertificate } from './signing-certificate.ts';
import { TimeStampError } from './time-stamp-error.ts';
import { parseTstInfo, type TstInfo } from './tst-info.ts';
import { copyOf, isSignedBy } from './verify-signature.ts';

export interface TimeStamp {
  readonly at: Date;
  /** The name in the certificate of the authority. */
  readonly authority: string;
  /** OID of the policy under which it was issued. */
  readonly policy: string;
  /** In hex. */
  readonly serial: string;
  /** In hex; undefined if the request had none. */
  readonly nonce: string | undefined;
}

export interface Trust {
  readonly roots: readonly Certificate[];
  /** OIDs of accepted policies; any if undefined. */
  readonly policies?: readonly string[] | undefined;
}

const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';

/** Verifies an RFC 3161 token over a message, and rejects with a `TimeStampError` that says why. */
export async function verifyToken(token: Uint8Array, message: Uint8Array, trust: Trust): Promise<TimeStamp> {
  const signed = parseSignedData(token);
  const info = parseTstInfo(signed.content);
  await checkImprint(info, message);
  if (trust.policies && !trust.policies.includes(info.policy))
    throw new TimeStampError(`the time stamp was issued under the policy ${info.policy}, which is not accepted`);
  await checkSignature(signed);
  await checkSigningCertificate(signed);
  const { signer, certificates } = signed;
  if (info.authority && !sameBytes(info.authority, signer.subject))
    throw new TimeStampError('the time stamp names another authority than the certificate of its signer');
  checkPurpose(signer);
  await checkChain(signer, { roots: trust.roots, others: certificates, at: info.at });
  const { at, policy, serial, nonce } = info;
  return { at, authority: signer.name, policy, serial, nonce };
}

async function checkImprint({ digest, imprint }: TstInfo, message: Uint8Array): Promise<void> {
  const expected = new Uint8Array(await crypto.subtle.digest(digest, copyOf(message)));
  if (!sameBytes(imprint, expected)) throw new TimeStampError('the time stamp is over something else');
}

async function checkSignature(signed: SignedData): Promise<void> {
  const { attributes, content, digest, signer, algorithm, signature, signedAttributes } = signed;
  const type = attributes.get(CONTENT_TYPE);
  if (type?.tag !== TAGS.oid || oidOf(type, 'the token') !== TST_INFO)
    throw new TimeStampError('the signature is over content of another type');
  const named = attributes.get(MESSAGE_DIGEST);
  const expected = new Uint8Array(await crypto.subtle.digest(digest, copyOf(content)));
  if (named?.tag !== TAGS.octetString || !sameBytes(named.content, expected))
    throw new TimeStampError('the signature is over another time stamp');
  if (!(await isSignedBy({ publicKey: signer.publicKey, algorithm, signature, data: signedAttributes }, 'the token')))
    throw new TimeStampError('the signature of the token is wrong');
}
