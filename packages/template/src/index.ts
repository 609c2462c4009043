export type { Problem } from '@waymark/positioned-yaml';
export { describeProblems } from '@waymark/positioned-yaml';
export type { AttestationType } from './attestation-type.ts';
export { ATTESTATION_TYPES } from './attestation-type.ts';
export type { ParsedTemplate } from './parse-template.ts';
export { parseTemplate, TEMPLATE_MAX_BYTES } from './parse-template.ts';
export type { Template, TemplateArtifact, TemplateAttestation } from './template.ts';
export { templateJsonSchema } from './template.ts';
export { templateFromNames } from './template-from-names.ts';
