import type { Report } from './report.ts';

const CUSTOM = 'custom:';

const STEPS: ReadonlyMap<string, string> = new Map([
  ['junit', 'Run and repair the tests'],
  ['snyk', 'Remove the findings'],
  ['sonar', 'Pass the quality gate'],
  ['jira', 'Name issues that exist'],
  ['pull_request', 'Have the commit reviewed in a pull request'],
  ['decision', 'Have the control decided anew'],
  ['in_toto', 'Sign it again with a key or identity that the org trusts'],
  ['sbom', 'Put the bill of materials in order'],
]);

/** What to do about a report that fails. `where` tells what it is about, such as " on artifact 'backend'". */
export function remedyOf(report: Report, where: string): string {
  const { name } = report.attestation;
  return `${stepOf(report)} and report '${name}' again${where}, or override it with a reason.`;
}

function stepOf({ attestation: { name, overrides }, type }: Report): string {
  if (overrides !== null) return `Settle why '${name}' was overridden`;
  if (type.startsWith(CUSTOM)) return `Make the data meet the rules of type '${type.slice(CUSTOM.length)}'`;
  return STEPS.get(type) ?? `Put right what '${name}' found`;
}
