/** What every attestation is one of, unless its type is custom. */
export const ATTESTATION_KINDS = [
  'generic',
  'junit',
  'snyk',
  'sonar',
  'jira',
  'pull_request',
  'decision',
  'override',
  'sbom',
  'in_toto',
  'vex',
] as const;
export type AttestationKind = (typeof ATTESTATION_KINDS)[number];

/** What templates and policies can require. An override replaces a verdict and is not evidence of its own. */
export const REQUIRABLE_KINDS = ATTESTATION_KINDS.filter((kind) => kind !== 'override');

const REMEDIES: ReadonlyMap<string, string> = new Map<AttestationKind, string>([
  ['junit', 'Run and fix the tests'],
  ['snyk', 'Fix the findings'],
  ['sonar', 'Pass the quality gate'],
  ['jira', 'Reference existing issues'],
  ['pull_request', 'Review the commit in a pull request'],
  ['decision', 'Decide the control again'],
  ['in_toto', 'Sign it again with a key or identity that the org trusts'],
  ['sbom', 'Fix the SBOM'],
  ['vex', 'Correct the VEX document'],
]);

const CUSTOM = 'custom:';

/** What to do about an attestation that is not compliant, before it is reported again. */
export function remedyFor({ name, type, isOverride }: { name: string; type: string; isOverride: boolean }): string {
  if (isOverride) return `Resolve why '${name}' was overridden`;
  if (type.startsWith(CUSTOM)) return `Make the data satisfy the rules of type '${type.slice(CUSTOM.length)}'`;
  return REMEDIES.get(type) ?? `Fix what '${name}' found`;
}
