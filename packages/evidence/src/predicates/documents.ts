import { isObject } from '../json-document.ts';
import { readSbomDocument } from '../sbom.ts';
import type { SbomComponent } from '../sbom-fields.ts';
import { Unreadable } from '../unreadable.ts';
import { readVexDocument } from '../vex.ts';
import type { VexDocument } from '../vex-statement.ts';
import type { PredicateFields } from './fields.ts';

/** A document as a predicate. One that cannot be read is signed all the same, and says nothing. */
interface PredicateDocument {
  fields: PredicateFields;
  components: SbomComponent[];
  vex: VexDocument | undefined;
}

/** A document of CycloneDX may list components, say which vulnerabilities affect them, or both. */
export function readDocumentPredicate(predicate: unknown): PredicateDocument {
  // Older versions of cosign wrap it.
  const document = isObject(predicate) && isObject(predicate['Data']) ? predicate['Data'] : predicate;
  const sbom = ifReadable(() => readSbomDocument('predicate', document));
  const vex = ifReadable(() => readVexDocument('predicate', document));
  return {
    fields: {
      ...(sbom && {
        sbom: { format: sbom.format, specVersion: sbom.specVersion, componentCount: sbom.components.length },
      }),
      ...(vex && vex.claims.length > 0 && { vex: { format: vex.format, statementCount: vex.claims.length } }),
    },
    components: sbom?.components ?? [],
    vex,
  };
}

function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
