import { isObject } from './json-document.ts';

interface KnownFormat {
  readonly name: string;
  /** What to send instead. */
  readonly todo: string;
}

const VEX = 'It says which findings of a scan do not apply. Send it as type vex: waymark attest vex FILE';

/** Returns the name of a well-known document that is not supported here, with what to do, or undefined. */
export function otherFormatOf(document: unknown): KnownFormat | undefined {
  if (Array.isArray(document) && document.length === 0) {
    return {
      name: 'an empty list',
      todo: 'It does not say which tool found nothing. For Gitleaks, write SARIF: gitleaks git --report-format sarif --report-path gitleaks.sarif',
    };
  }
  if (!isObject(document)) return undefined;
  const context = [document['@context']].flat();
  const isAbout = (part: string) => context.some((one) => typeof one === 'string' && one.includes(part));
  if (isAbout('openvex')) return { name: 'OpenVEX', todo: VEX };
  if (isObject(document['document']) && 'csaf_version' in document['document']) return { name: 'CSAF', todo: VEX };
  if ('bomFormat' in document || 'spdxVersion' in document || isAbout('spdx.org/rdf/3')) {
    return { name: 'an SBOM', todo: 'Send it as type sbom: waymark attest sbom FILE' };
  }
  if (isScan(document)) {
    return { name: 'a scan result', todo: 'Send it as type snyk: waymark attest snyk FILE' };
  }
  return undefined;
}

function isScan(document: Record<string, unknown>): boolean {
  return ['runs', 'SchemaVersion', 'matches', 'vulnerabilities'].some((key) => key in document);
}
