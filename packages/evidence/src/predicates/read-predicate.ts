import type { SbomComponent } from '../sbom-fields.ts';
import type { VexDocument } from '../vex-statement.ts';
import { readDocumentPredicate } from './documents.ts';
import type { PredicateFields } from './fields.ts';
import { readProvenanceV1, readProvenanceV02 } from './provenance.ts';
import { readSimpleVerification, readTestResult, readVerificationSummary } from './verification.ts';

export interface Predicate {
  fields: PredicateFields;
  /** Of an SBOM. */
  components: SbomComponent[];
  vex?: VexDocument | undefined;
}

/** What is read of a statement, by how its predicate type begins. A version that is compatible has the same beginning. */
const READERS: readonly (readonly [RegExp, (predicate: unknown) => PredicateFields])[] = [
  [/^https:\/\/slsa\.dev\/provenance\/v1(\.\d+)?$/, readProvenanceV1],
  [/^https:\/\/slsa\.dev\/provenance\/v0\.2$/, readProvenanceV02],
  [/^https:\/\/slsa\.dev\/verification_summary\/v(0\.[12]|1(\.\d+)?)$/, readVerificationSummary],
  [/^https:\/\/in-toto\.io\/attestation\/svr\/v0\.\d+$/, readSimpleVerification],
  [/^https:\/\/in-toto\.io\/attestation\/test-result\/v0\.\d+$/, readTestResult],
];
const DOCUMENT = /^https:\/\/(cyclonedx\.org\/(bom|vex)|spdx\.dev\/Document|openvex\.dev\/ns)(\/v?\d+(\.\d+)*)?$/;

export function readPredicate(predicateType: string, predicate: unknown): Predicate {
  if (DOCUMENT.test(predicateType)) return readDocumentPredicate(predicate);
  const [, read] = READERS.find(([form]) => form.test(predicateType)) ?? [];
  return { fields: read?.(predicate) ?? {}, components: [] };
}
