import type { BundleWithDsseEnvelope } from '@sigstore/bundle';
import type { SignedEntity } from '@sigstore/verify';
import { toSignedEntity } from '@sigstore/verify';
import { quoted, shorten } from './shorten.ts';
import type { Check, TrustedIdentity } from './trust.ts';
import { verifierFor } from './trusted-root.ts';

const LONGEST_REASON = 300;

/** Checks the certificate of a bundle, when it was used, and that it was made out to one of the identities. */
export function checkIdentities(bundle: BundleWithDsseEnvelope, identities: readonly TrustedIdentity[]): Check {
  const entity = attempt(() => toSignedEntity(bundle));
  if (!entity.ok) return refused(`Its verification material cannot be read: ${entity.reason}.`);
  const subject = claimedSubject(entity.value);
  // A verification costs 20 ms, so only the identities that the certificate claims are tried.
  const claimed = identities.filter((identity) => identity.subject === subject);
  let last = refused(`It is signed as ${quoted(subject ?? '')}, which is not among the trusted identities.`);
  for (const identity of claimed) {
    last = checkIdentity(entity.value, identity);
    if (last.verified) return last;
  }
  return last;
}

/** Compared here as a whole, for the library's own policy takes a subject as a pattern that may match anywhere. */
function checkIdentity(entity: SignedEntity, trusted: TrustedIdentity): Check {
  const signer = attempt(() => verifierFor(trusted.trustedRoot).verify(entity));
  if (!signer.ok) return refused(`It cannot be verified as ${quoted(trusted.name)}: ${signer.reason}.`);
  const found = signer.value.identity;
  const issuer = found?.extensions?.issuer;
  if (found?.subjectAlternativeName !== trusted.subject || issuer !== trusted.issuer) {
    return refused(`Its identity comes from ${quoted(issuer ?? '')} and not from ${quoted(trusted.issuer)}.`);
  }
  return { verified: true, by: { kind: 'identity', id: trusted.id, name: trusted.name } };
}

function claimedSubject({ key }: SignedEntity): string | undefined {
  if (key.$case !== 'certificate') return undefined;
  const subject = attempt(() => key.certificate.subjectAltName);
  return subject.ok ? subject.value : undefined;
}

/** Whatever the library throws over hostile material, it means that nothing is proved. */
function attempt<T>(work: () => T): { ok: true; value: T } | { ok: false; reason: string } {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    return { ok: false, reason: shorten(error instanceof Error ? error.message : String(error), LONGEST_REASON) };
  }
}

function refused(reason: string): Check {
  return { verified: false, reason };
}
