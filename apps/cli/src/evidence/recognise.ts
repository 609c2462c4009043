import { type Coverage, type ReadCoverage, readCobertura, readJacoco, readLcov } from './coverage.ts';
import type { NamedFile } from './tgz.ts';

export type ReportKind =
  | 'junit'
  | 'sarif'
  | 'snyk'
  | 'trivy'
  | 'grype'
  | 'gitleaks'
  | 'osv-scanner'
  | 'sbom'
  | 'vex'
  | 'in-toto';

/** Recognizes a file by its content; its name does not matter. */
export type Recognised =
  | { readonly kind: ReportKind }
  | { readonly kind: 'coverage'; readonly coverage: Coverage }
  | { readonly kind: 'damaged'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

const unknown = (why: string): Recognised => ({ kind: 'unknown', why });
const damaged = (why: string): Recognised => ({ kind: 'damaged', why });

const MAX_BYTES = 50 * 1024 * 1024;

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

export function recognise({ content }: NamedFile): Recognised {
  if (content.length === 0) return damaged('it is empty');
  if (isUtf16(content)) return damaged('it is UTF-16; only UTF-8 is supported');
  if (content.length > MAX_BYTES) return recogniseLarge(content);
  const text = textOf(content);
  if (text === '') return damaged('it is empty');
  if (text.startsWith('<')) return recogniseXml(text);
  if (text.startsWith('{') || text.startsWith('[')) return recogniseJson(text);
  return ofCoverage(readLcov(text)) ?? unknown('not a known report format');
}

/**
 * A file that begins like a report may be the one with the failures. Any other file, such as a program, is not a
 * report.
 */
function recogniseLarge(content: Uint8Array): Recognised {
  const start = textOf(content.subarray(0, 64 * 1024));
  const mayBeReport = start === '' || /^([<{[]|TN:|SF:)/.test(start);
  return mayBeReport ? damaged('it is larger than 50 MiB') : unknown('not a known report format');
}

function textOf(content: Uint8Array): string {
  return Buffer.from(content)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
}

/** For a chosen file: an XML or JSON name with other content may be a truncated report. */
export function recogniseChosen(file: NamedFile): Recognised {
  const what = recognise(file);
  if (what.kind !== 'unknown') return what;
  const text = textOf(file.content);
  if (/\.xml$/i.test(file.name) && !text.startsWith('<')) return damaged('it is not XML');
  if (/\.(json|sarif)$/i.test(file.name) && !isJson(text)) return damaged('its JSON is invalid or truncated');
  return what;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The service says that files with a prefix or a document type are not reports, and skips them. */
const XML_REPORTS = ['testsuites', 'testsuite', 'coverage'];

function recogniseXml(text: string): Recognised {
  const root = rootOf(text);
  if (root === undefined) return damaged('it is XML without elements');
  const { tag, name, hasDoctype } = root;
  const [local = name, prefix] = name.split(':').reverse();
  if (prefix !== undefined && XML_REPORTS.includes(local)) {
    return damaged(`its root is <${name.slice(0, 40)}>; prefixes are not supported`);
  }
  if (name === 'testsuites' || name === 'testsuite') {
    return hasDoctype ? damaged('it has a DOCTYPE, which is not accepted') : { kind: 'junit' };
  }
  if (local === 'bom' && tag.includes('http://cyclonedx.org/schema/bom/')) {
    return hasDoctype ? damaged('it has a DOCTYPE, which is not accepted') : { kind: 'sbom' };
  }
  return ofCoverage(coverageOf(text, name, tag)) ?? unknown(`XML with the root <${name.slice(0, 40)}>`);
}

function coverageOf(text: string, root: string, tag: string): ReadCoverage {
  if (root === 'coverage') return readCobertura(text, tag);
  return root === 'report' ? readJacoco(text) : undefined;
}

const SPACE = /\s*/y;
const ELEMENT = /<([A-Za-z_][\w.:-]*)[^>]*>?/y;
const PROLOG = ['<?', '<!--', '<!DOCTYPE'];

interface Root {
  readonly tag: string;
  readonly name: string;
  readonly hasDoctype: boolean;
}

/** The first tag, after declarations, comments and a document type. */
function rootOf(text: string): Root | undefined {
  let hasDoctype = false;
  for (let at = 0; at !== -1; ) {
    SPACE.lastIndex = at;
    const start = at + (SPACE.exec(text)?.[0].length ?? 0);
    const begin = PROLOG.find((sign) => text.startsWith(sign, start));
    if (begin === undefined) {
      ELEMENT.lastIndex = start;
      const [tag, name] = ELEMENT.exec(text) ?? [];
      return tag === undefined || name === undefined ? undefined : { tag, name, hasDoctype };
    }
    hasDoctype ||= begin === '<!DOCTYPE';
    at = endOf(text, start, begin);
  }
  return undefined;
}

function endOf(text: string, start: number, begin: string): number {
  const after = (sign: string, from = start) => {
    const found = text.indexOf(sign, from);
    return found === -1 ? -1 : found + sign.length;
  };
  if (begin === '<?') return after('?>');
  if (begin === '<!--') return after('-->');
  const [close, subset] = [after('>'), after('[')];
  if (subset === -1 || subset > close) return close;
  const subsetEnd = after(']', subset);
  return subsetEnd === -1 ? -1 : after('>', subsetEnd);
}

function ofCoverage(read: ReadCoverage): Recognised | undefined {
  if (read === undefined) return undefined;
  return typeof read === 'string' ? damaged(read) : { kind: 'coverage', coverage: read };
}

/** Identifies a truncated report. */
const SIGNS =
  /"(bomFormat|spdxVersion|dsseEnvelope|payloadType|vulnerabilities|VulnerabilityID|RuleID)"\s*:|"(runs|matches)"\s*:\s*\[|sarif-schema|sarif-2|spdx\.org\/rdf\/3/;

function recogniseJson(text: string): Recognised {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return SIGNS.test(text) ? damaged('its JSON is invalid or truncated') : unknown('not JSON');
  }
  if (Array.isArray(document) && document.length === 0)
    return unknown('an empty list, whose format cannot be recognized');
  const [first] = [document].flat() as unknown[];
  if (typeof first !== 'object' || first === null) return unknown('JSON, but not a known report format');
  const found = first as Record<string, unknown>;
  const kind = Array.isArray(document) ? kindOfList(found) : kindOf(found);
  return kind ? { kind } : unknown('JSON, but not a known report format');
}

function kindOfList(first: Record<string, unknown>): ReportKind | undefined {
  if (isSnyk(first)) return 'snyk';
  const isLeak = ['Secret', 'Match', 'Fingerprint'].some((name) => Object.hasOwn(first, name));
  return Object.hasOwn(first, 'RuleID') && isLeak ? 'gitleaks' : undefined;
}

function kindOf(document: Record<string, unknown>): ReportKind | undefined {
  const has = (name: string) => Object.hasOwn(document, name);
  const scanner = scannerOf(document);
  if (scanner) return scanner;
  if (isVex(document)) return 'vex';
  if (document['bomFormat'] === 'CycloneDX' || has('spdxVersion') || isContext(document, 'spdx.org/rdf/3'))
    return 'sbom';
  return has('dsseEnvelope') || (has('payloadType') && has('signatures')) ? 'in-toto' : undefined;
}

function scannerOf(document: Record<string, unknown>): ReportKind | undefined {
  const has = (name: string) => Object.hasOwn(document, name);
  if (isSnyk(document)) return 'snyk';
  if (has('runs') && (has('version') || has('$schema'))) return 'sarif';
  if (has('SchemaVersion') && (has('ArtifactName') || has('Results'))) return 'trivy';
  if (has('matches') && (has('descriptor') || has('source'))) return 'grype';
  return isOsvScanner(document) ? 'osv-scanner' : undefined;
}

function isSnyk(document: Record<string, unknown>): boolean {
  return (
    Object.hasOwn(document, 'vulnerabilities') &&
    (Object.hasOwn(document, 'ok') || Object.hasOwn(document, 'packageManager'))
  );
}

function isOsvScanner({ results, experimental_config: config }: Record<string, unknown>): boolean {
  if (!Array.isArray(results)) return false;
  const first: unknown = results[0];
  return config !== undefined || (typeof first === 'object' && first !== null && Object.hasOwn(first, 'packages'));
}

function isContext(document: Record<string, unknown>, part: string): boolean {
  return [document['@context']].flat().some((one) => typeof one === 'string' && one.includes(part));
}

/** CycloneDX without components only says what someone found out about vulnerabilities. */
function isVex(document: Record<string, unknown>): boolean {
  const { document: about, bomFormat, components, vulnerabilities } = document;
  if (isRecord(about) && Object.hasOwn(about, 'csaf_version')) return true;
  if (isContext(document, 'openvex')) return true;
  if (bomFormat !== 'CycloneDX' || (Array.isArray(components) && components.length > 0)) return false;
  return Array.isArray(vulnerabilities) && vulnerabilities.some((one) => isRecord(one) && isRecord(one['analysis']));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
