/** The first byte of a key in a vkey, which says what its signatures are. */
export const ED25519 = 1;
/** A cosignature/v1: an Ed25519 signature of a checkpoint with the time at which it was made. */
export const COSIGNATURE = 4;

export type Algorithm = typeof ED25519 | typeof COSIGNATURE;

export function isAlgorithm(value: number | undefined): value is Algorithm {
  return value === ED25519 || value === COSIGNATURE;
}
