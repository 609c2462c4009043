import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toTrustMaterial, Verifier } from '@sigstore/verify';

/**
 * A verifier that requires everything its root can prove. A certificate lives for minutes, so the transparency log or a
 * timestamp authority must prove when it was used.
 */
export function verifierFor(trustedRoot: unknown): Verifier {
  const root = TrustedRoot.fromJSON(trustedRoot);
  if (root.tlogs.length === 0 && root.timestampAuthorities.length === 0) {
    throw new Error('the trusted root names neither a transparency log nor a timestamp authority');
  }
  // The library trusts a log without a start date from the beginning of time.
  for (const { publicKey } of [...root.tlogs, ...root.ctlogs]) {
    if (!publicKey?.validFor?.start) throw new Error('the trusted root has a log without the start of its validity');
  }
  return new Verifier(toTrustMaterial(root), {
    tlogThreshold: root.tlogs.length > 0 ? 1 : 0,
    ctlogThreshold: root.ctlogs.length > 0 ? 1 : 0,
    timestampThreshold: 1,
  });
}
