import type { BundleWithDsseEnvelope } from '@sigstore/bundle';
import { crypto } from '@sigstore/core';
import type { SignedEntity } from '@sigstore/verify';
import { toSignedEntity, VerificationError } from '@sigstore/verify';
import { compileGlob } from '@waymark/globs';
import { quoted, shorten } from './shorten.ts';
import type { Check, SignatureFault, Signer, TrustedIdentity } from './trust.ts';
import { verifierFor } from './trusted-root.ts';

const MAX_REASON_LENGTH = 300;

/** Verifies the certificate of a bundle, the time of its use, and that it was issued to one of the identities. */
export function checkIdentities(bundle: BundleWithDsseEnvelope, identities: readonly TrustedIdentity[]): Check {
  const entity = attempt(() => toSignedEntity(bundle));
  if (!entity.ok) return unproven('material_unreadable', `Its verification material is unreadable: ${entity.reason}.`);
  const subject = claimedSubject(entity.value);
  // A verification costs 20 ms, so only the identities that the certificate claims are tried.
  const claimed = subject === undefined ? [] : identities.filter((identity) => isNamed(identity, subject));
  let last = unproven('signer_unknown', `It is signed as ${quoted(subject ?? '')}, which is not a trusted identity.`);
  for (const identity of claimed) {
    last = checkIdentity(entity.value, identity, subject ?? '');
    if (last.verified) return last;
  }
  return last;
}

/** Compared here as a whole, because the library's own policy treats a subject as a pattern that may match anywhere. */
function checkIdentity(entity: SignedEntity, trusted: TrustedIdentity, subject: string): Check {
  const verifier = attempt(() => verifierFor(trusted.trustedRoot));
  if (!verifier.ok) return notAs(trusted, subject, 'trusted_root_invalid', verifier.reason);
  const signer = attempt(() => verifier.value.verify(entity));
  if (!signer.ok) return notAs(trusted, subject, faultOf(entity, signer.error), signer.reason);
  const found = signer.value.identity;
  const issuer = found?.extensions?.issuer;
  if (found?.subjectAlternativeName !== subject || issuer !== trusted.issuer) {
    const reason = `Its identity comes from ${quoted(issuer ?? '')} and not from ${quoted(trusted.issuer)}.`;
    return unproven('signer_unknown', reason);
  }
  return { verified: true, signers: [signerOf(trusted, subject)] };
}

/**
 * The library checks the timestamp and the log first, and both depend on the signature too. So the signature is
 * verified with its own certificate here; otherwise a changed envelope would count as one with a wrong timestamp.
 */
function faultOf(entity: SignedEntity, error: unknown): SignatureFault {
  if (!isSignedByItsCertificate(entity)) return 'signature_invalid';
  const code = error instanceof VerificationError ? error.code : undefined;
  if (code === 'TIMESTAMP_ERROR') return entity.timestamps.length === 0 ? 'timestamp_missing' : 'timestamp_invalid';
  if (code?.startsWith('TLOG_')) return entity.tlogEntries.length === 0 ? 'log_entry_missing' : 'log_entry_invalid';
  return code === 'SIGNATURE_ERROR' ? 'signature_invalid' : 'certificate_invalid';
}

function isSignedByItsCertificate({ key, signature }: SignedEntity): boolean {
  if (key.$case !== 'certificate') return false;
  const holds = attempt(() => signature.verifySignature(crypto.createPublicKey(key.certificate.publicKey)));
  return holds.ok && holds.value;
}

function claimedSubject({ key }: SignedEntity): string | undefined {
  if (key.$case !== 'certificate') return undefined;
  const subject = attempt(() => key.certificate.subjectAltName);
  return subject.ok ? subject.value : undefined;
}

/** Any error of the library on hostile material means that nothing is proved. */
function attempt<T>(work: () => T): { ok: true; value: T } | { ok: false; error: unknown; reason: string } {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, error, reason: shorten(message, MAX_REASON_LENGTH) };
  }
}

function signerOf({ id, name, issuer }: TrustedIdentity, identity: string): Signer {
  return { kind: 'identity', id, name, identity, issuer };
}

function isNamed({ subject, isPattern }: TrustedIdentity, identity: string): boolean {
  return isPattern ? compileGlob(subject)(identity) : subject === identity;
}

function unproven(fault: SignatureFault, reason: string, claimed: Signer | null = null): Check {
  return { verified: false, fault, reason, claimed };
}

function notAs(trusted: TrustedIdentity, subject: string, fault: SignatureFault, why: string): Check {
  return unproven(fault, `It cannot be verified as ${quoted(trusted.name)}: ${why}.`, signerOf(trusted, subject));
}
