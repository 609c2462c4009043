import { z } from 'zod';

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
export const PREDICATE_TYPE = 'https://slsa.dev/verification_summary/v1';
/** What `verifiedLevels` has of an artifact that passed. SLSA's own levels are about how it was built. */
export const COMPLIANT_LEVEL = 'WAYMARK_ENVIRONMENT_COMPLIANT';
/** What the predicate has beside the fields of the standard. A verifier may ignore it. */
const DETAILS = 'https://waymark.dev/verification_summary/details/v1';

const Digest = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });

const Details = z.object({
  compliance: z.enum(['compliant', 'waived', 'non-compliant']),
  because: z.string(),
  org: z.string(),
  environment: z.string(),
  policies: z.array(
    z.object({
      name: z.string(),
      version: z.number().int(),
      digest: Digest,
      result: z.enum(['PASSED', 'FAILED']),
      decision: z.string(),
    }),
  ),
  waiver: z.string().nullable(),
});
export type Details = z.infer<typeof Details>;

/** A Verification Summary Attestation of SLSA: one verdict on one artifact in one environment. */
export const Summary = z.object({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(z.object({ name: z.string().optional(), digest: Digest })).min(1),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: z.object({
    verifier: z.object({ id: z.string(), version: z.record(z.string(), z.string()).optional() }),
    timeVerified: z.iso.datetime(),
    resourceUri: z.string(),
    policy: z.object({ uri: z.string(), digest: Digest.optional() }),
    inputAttestations: z.array(z.object({ uri: z.string(), digest: Digest })).optional(),
    verificationResult: z.enum(['PASSED', 'FAILED']),
    verifiedLevels: z.array(z.string()),
    slsaVersion: z.string().optional(),
    [DETAILS]: Details.optional(),
  }),
});
export type Summary = z.infer<typeof Summary>;

export interface Facts {
  readonly artifact: { readonly name: string; readonly fingerprint: string };
  /** The address of the installation. */
  readonly verifier: string;
  readonly verifierVersion: string;
  readonly at: Date;
  /** The address of the environment. */
  readonly resource: string;
  /** All policies of the environment together: where they are, and the digest of their names, versions, and texts. */
  readonly policy: { readonly uri: string; readonly sha256: string };
  /** The evidence on which the verdict rests. */
  readonly inputs: readonly { readonly uri: string; readonly sha256: string }[];
  readonly details: Details;
}

export function summaryOf({
  artifact,
  verifier,
  verifierVersion,
  at,
  resource,
  policy,
  inputs,
  details,
}: Facts): Summary {
  const passed = details.compliance !== 'non-compliant';
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: artifact.name, digest: { sha256: artifact.fingerprint } }],
    predicateType: PREDICATE_TYPE,
    predicate: {
      verifier: { id: verifier, version: { waymark: verifierVersion } },
      timeVerified: at.toISOString(),
      resourceUri: resource,
      policy: { uri: policy.uri, digest: { sha256: policy.sha256 } },
      inputAttestations: inputs.map(({ uri, sha256 }) => ({ uri, digest: { sha256 } })),
      verificationResult: passed ? 'PASSED' : 'FAILED',
      verifiedLevels: passed ? [COMPLIANT_LEVEL] : ['FAILED'],
      slsaVersion: '1.1',
      [DETAILS]: details,
    },
  };
}

export function detailsOf({ predicate }: Summary): Details | undefined {
  return predicate[DETAILS];
}
