import { remedyFor } from '@waymark/attestation-kinds';
import type { Report } from './report.ts';

/** What to do about a report that fails. `where` tells what it is about, such as " on artifact 'backend'". */
export function remedyOf(report: Report, where: string): string {
  const { name, overrides } = report.attestation;
  const remedy = remedyFor({ name, type: report.type, isOverride: overrides !== null });
  return `${remedy} and report '${name}' again${where}, or override it with a reason.`;
}
