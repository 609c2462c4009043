import * as z from 'zod';
import type { License } from './licenses.ts';
import type { NormalizedFindings } from './normalized-findings.ts';
import { shorten } from './shorten.ts';

export const MAX_COMPONENTS = 100_000;

export const CYCLONEDX_VERSIONS = ['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'] as const;

export const Name = z.string().max(1000);
export const Version = z.string().max(1000);
/** Unchanged: a package URL that a parser would refuse still finds its component. */
export const Purl = z.string().max(4096);

export interface SbomComponent {
  name: string;
  version: string;
  purl: string | null;
  /** As the SBOM says it: an SPDX expression, or names. Absent where it says nothing. */
  license?: string;
}

const LICENSE_MAX_LENGTH = 500;

/** Several licenses all apply, unless an expression says otherwise. */
export function licenseOf(licenses: readonly (string | undefined)[]): { license?: string } {
  const named = [...new Set(licenses.flatMap((one) => one?.trim() || []))];
  if (named.length === 0) return {};
  const joined = named.length === 1 ? named : named.map((one) => (/ (OR|AND|WITH) /.test(one) ? `(${one})` : one));
  return { license: shorten(joined.join(' AND '), LICENSE_MAX_LENGTH) };
}

/**
 * Leaves out the product that an SBOM is about, which is no component of itself. A list of nothing else is a list of
 * components.
 */
export function withoutSubjects(
  all: readonly { readonly id: string; readonly component: SbomComponent }[],
  subjects: ReadonlySet<unknown>,
): SbomComponent[] {
  const parts = all.filter(({ id }) => !subjects.has(id));
  return (parts.length > 0 ? parts : all).map(({ component }) => component);
}

export interface Sbom {
  format: 'CycloneDX' | 'SPDX';
  specVersion: string;
  components: SbomComponent[];
  /** Absent where no component has a license, or there are more than can be judged. */
  licenses?: License[];
  /** Absent where it lists no vulnerabilities. */
  findings?: NormalizedFindings;
}
