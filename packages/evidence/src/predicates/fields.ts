/** What a statement says, as far as rules and people ask for it. A member is absent where it is not said, or unclear. */
export interface PredicateFields {
  builder?: string;
  buildType?: string;
  invocation?: string;
  source?: SourceFields;
  /** The first ones; `materialCount` counts them all. */
  materials?: Material[];
  materialCount?: number;
  /** JSON, shortened. */
  parameters?: string;
  result?: VerificationResult;
  verifier?: string;
  policyUri?: string;
  resourceUri?: string;
  verifiedLevels?: string[];
  properties?: string[];
  tests?: { passed: number; warned: number; failed: number };
  sbom?: { format: string; specVersion: string; componentCount: number };
  vex?: { format: string; statementCount: number };
}

export interface SourceFields {
  /** Without the prefix git+, the suffix .git, and the ref. */
  repository?: string;
  ref?: string;
  commit?: string;
}

export interface Material {
  uri?: string;
  digest?: string;
}

export type VerificationResult = 'PASSED' | 'WARNED' | 'FAILED';
