export { type EntryLeaf, entryLeafHash, formatLeaf, parseLeaf } from './entries/entry-leaf.ts';
export { actorDigest, payloadDigest } from './entries/keyed-digest.ts';
export {
  type EpochLeaf,
  formatRegionLeaf,
  type KeysLeaf,
  MAX_REASON_LENGTH,
  type OrgHeadLeaf,
  orgLogOrigin,
  parseRegionLeaf,
  type RegionLeaf,
  regionOrigin,
} from './entries/region-leaf.ts';
export { FormatError } from './format-error.ts';
export { buildConsistencyProof, type ConsistencyClaim, verifyConsistency } from './merkle/consistency.ts';
export { type TreeHead, verifyExtension } from './merkle/extension.ts';
export {
  emptyRoot,
  HASH_BYTES,
  type Hash,
  leafHashOf,
  nodeHashOf,
  type Sha256,
  sameHash,
  sha256,
} from './merkle/hashing.ts';
export {
  buildInclusionProof,
  type InclusionClaim,
  rootFromInclusion,
  verifyInclusion,
} from './merkle/inclusion.ts';
export { type ReadNode, rootOfNodes } from './merkle/read-node.ts';
export { MAX_SIZE } from './merkle/spans.ts';
export { type Algorithm, COSIGNATURE, ED25519 } from './notes/algorithm.ts';
export {
  type Checkpoint,
  formatCheckpoint,
  parseCheckpoint,
  parseSignedCheckpoint,
  type SignedCheckpoint,
} from './notes/checkpoint.ts';
export {
  formatSigningKey,
  formatVerifierKey,
  keyIdOf,
  parseSigningKey,
  parseVerifierKey,
  type SigningKey,
  signingKey,
  type VerifierKey,
  verifierKey,
} from './notes/keys.ts';
export { formatNote, type Note, type NoteSignature, parseNote } from './notes/note.ts';
export { cosign, type Signer, signerOf, signNote } from './notes/sign-note.ts';
export { type NoteVerdict, type VerifiedSignature, verifyNote, verifySignature } from './notes/verify-note.ts';
export { formatHeadProof, type HeadProof, type ProofTimeStamp, parseHeadProof } from './proofs/head-proof.ts';
export { formatLedgerProof, type LedgerProof, parseLedgerProof } from './proofs/ledger-proof.ts';
export type { ProofStep, StepName } from './proofs/proof-step.ts';
export {
  differingContent,
  formatEntry,
  isInOrgLog,
  type OrgHead,
  type ProvenEntry,
  parseEntry,
  regionLeafOf,
} from './proofs/proven-entry.ts';
export { formatProof, parseProof, type TlogProof } from './proofs/tlog-proof.ts';
export {
  isQuorum,
  parsePolicy,
  type TrustedLog,
  type TrustedWitness,
  type TrustPolicy,
  type WitnessGroup,
} from './proofs/trust-policy.ts';
export { type CheckpointVerdict, type Cosigned, verifyCheckpoint } from './proofs/verify-checkpoint.ts';
export {
  type LedgerVerdict,
  type VerifyOptions,
  verifyEntry,
  verifyHeadProof,
  verifyLedgerProof,
} from './proofs/verify-ledger-proof.ts';
export { verifyProof } from './proofs/verify-proof.ts';
export type { TimeStampVerdict, VerifyTimeStamp } from './proofs/verify-time-stamp.ts';
export { decodeEntries, encodeEntries, MAX_ENTRY_BYTES } from './tiles/entry-bundle.ts';
export {
  type Appended,
  appendLeaf,
  appendLeaves,
  EMPTY_EDGE,
  edgeFromTiles,
  type RightEdge,
  rootOfEdge,
} from './tiles/right-edge.ts';
export { hashesOfTile, partialTiles, TILE_WIDTH, type Tile, type TileId, tileWidth } from './tiles/tile.ts';
export {
  nodesOfTiles,
  type ReadTile,
  type TileMemory,
  tilesForConsistency,
  tilesForInclusion,
  tilesForRoot,
} from './tiles/tile-nodes.ts';
export { type BundleId, entriesPath, parseTilePath, type TileResource, tilePath } from './tiles/tile-path.ts';
export { type TileProblem, tilesAbove, verifyTiles } from './tiles/verify-tiles.ts';
export {
  type AddCheckpoint,
  formatAddCheckpoint,
  formatConflict,
  formatCosignatures,
  originHash,
  parseAddCheckpoint,
  parseConflict,
  parseCosignatures,
  TLOG_SIZE_TYPE,
} from './witness/add-checkpoint.ts';
