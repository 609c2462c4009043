export type { AttestationRule } from './attestation-rule.ts';
export { TRUST_LEVELS } from './attestation-rule.ts';
export { PolicyDocument, policyJsonSchema } from './policy-document.ts';
