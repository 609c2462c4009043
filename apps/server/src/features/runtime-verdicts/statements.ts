import type { StatementEvidence, StatementSigner } from '@waymark/policy';
import { isTrustedIn, type TrustedSigners } from '../trust/trust.reads.ts';

/** What was read of a signed statement when it was recorded, as far as rules ask for it. */
interface StoredStatement {
  readonly predicate_type: string;
  readonly about: string;
  readonly outcome: string;
  readonly signers: readonly StoredSigner[];
  readonly builder?: string;
  readonly build_type?: string;
  readonly source?: NonNullable<StatementEvidence['source']>;
  readonly materials?: readonly { readonly uri?: string }[];
  readonly material_count?: number;
  readonly result?: NonNullable<StatementEvidence['result']>;
  readonly verifier?: string;
  readonly policy_uri?: string;
  readonly verified_levels?: readonly string[];
  readonly properties?: readonly string[];
}

type StoredSigner =
  | { readonly kind: 'key'; readonly id: string; readonly name: string }
  | {
      readonly kind: 'identity';
      readonly id: string;
      readonly name: string;
      readonly identity: string;
      readonly issuer: string;
    };

/** Of a signed statement. Earlier versions read only who signed it. */
export interface StoredReading {
  readonly signed_by?: { readonly id: string; readonly name: string } | null;
  readonly statements?: readonly StoredStatement[] | null;
}

/**
 * What counts of it now: a signer that the org has ceased to trust in this flow proves nothing any more. `withdrawn`
 * has the reasons if that makes a statement unproven.
 */
export function statementsNow(
  { signed_by: signer, statements }: StoredReading,
  flowId: string,
  trusted: TrustedSigners,
): { statements?: StatementEvidence[]; withdrawn?: string[] } {
  const isTrusted = ({ id }: { readonly id: string }) => isTrustedIn(trusted, id, flowId);
  if (!statements) return !signer || isTrusted(signer) ? {} : { withdrawn: [withdrawnReason(signer)] };
  const lost = statements.filter(({ outcome, signers }) => outcome === VERIFIED && !signers.some(isTrusted));
  const found = statements.map((statement) => toEvidence(statement, statement.signers.filter(isTrusted)));
  if (lost.length === 0) return { statements: found };
  const names = new Set(lost.flatMap(({ signers }) => signers.map(withdrawnReason)));
  return { statements: found, withdrawn: [...names].slice(0, REASONS_MAX) };
}

const VERIFIED = 'signature_verified';
const REASONS_MAX = 3;

function withdrawnReason({ name }: { readonly name: string }): string {
  return `The org no longer trusts its signer '${name}'`;
}

function toEvidence(
  { predicate_type: predicateType, about, outcome, ...read }: StoredStatement,
  trusted: readonly StoredSigner[],
): StatementEvidence {
  if (outcome !== VERIFIED) return { predicateType, isVerified: false, signers: [] };
  if (trusted.length === 0) return { predicateType, isVerified: false, isWithdrawn: true, signers: [] };
  return {
    predicateType,
    isVerified: true,
    signers: trusted.map(toSigner),
    ...(about !== 'gitCommit' && builtBy(read)),
    ...(read.result !== undefined && { result: read.result }),
    ...(read.verifier !== undefined && { verifier: read.verifier }),
    ...(read.policy_uri !== undefined && { policyUri: read.policy_uri }),
    ...(read.verified_levels !== undefined && { verifiedLevels: read.verified_levels }),
    ...(read.properties !== undefined && { properties: read.properties }),
  };
}

/** How the artifact was built. What is about its commit tells nothing of that. */
function builtBy({ builder, build_type: buildType, source, materials, material_count: materialCount }: BuiltBy) {
  return {
    ...(builder !== undefined && { builder }),
    ...(buildType !== undefined && { buildType }),
    ...(source !== undefined && { source }),
    ...(materials !== undefined && { materials: materials.map(({ uri = '' }) => uri) }),
    ...(materials && materialCount !== undefined && materialCount > materials.length && { materialCount }),
  };
}

type BuiltBy = Pick<StoredStatement, 'builder' | 'build_type' | 'source' | 'materials' | 'material_count'>;

function toSigner(signer: StoredSigner): StatementSigner {
  if (signer.kind === 'key') return { kind: 'key', id: signer.id, name: signer.name };
  return { kind: 'identity', identity: signer.identity, issuer: signer.issuer };
}
