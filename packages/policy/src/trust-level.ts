/** Weakest first: each level includes those before it. */
export const TRUST_LEVELS = ['claimed', 'api_key', 'workload_identity', 'signature'] as const;

export type TrustLevel = (typeof TRUST_LEVELS)[number];
