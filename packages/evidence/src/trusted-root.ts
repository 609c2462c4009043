import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toTrustMaterial, Verifier } from '@sigstore/verify';

/**
 * A verifier that asks for everything its root can vouch for. A certificate lives for minutes, so something must
 * always say when it was used: the transparency log or a timestamp authority.
 */
export function verifierFor(trustedRoot: unknown): Verifier {
  const root = TrustedRoot.fromJSON(trustedRoot);
  if (root.tlogs.length === 0 && root.timestampAuthorities.length === 0) {
    throw new Error('the trusted root names neither a transparency log nor a timestamp authority');
  }
  // The library takes a log without a start as trusted since ever.
  for (const { publicKey } of [...root.tlogs, ...root.ctlogs]) {
    if (!publicKey?.validFor?.start) throw new Error('the trusted root has a log without the start of its validity');
  }
  return new Verifier(toTrustMaterial(root), {
    tlogThreshold: root.tlogs.length > 0 ? 1 : 0,
    ctlogThreshold: root.ctlogs.length > 0 ? 1 : 0,
    timestampThreshold: 1,
  });
}
