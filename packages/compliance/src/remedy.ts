import { remedyFor } from '@waymark/attestation-kinds';
import type { Report } from './report.ts';

/** Returns the fix for a failing report. `where` names its subject, such as " on artifact 'backend'". */
export function remedyOf(report: Report, where: string): string {
  const { name, overrides } = report.attestation;
  const remedy = remedyFor({ name, type: report.type, isOverride: overrides !== null });
  return `${remedy} and report '${name}' again${where}, or override it with a reason.`;
}
