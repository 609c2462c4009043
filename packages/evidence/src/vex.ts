import type { EvidenceFile } from './evidence-file.ts';
import { isObject, readJson } from './json-document.ts';
import { otherFormatOf } from './known-formats.ts';
import { readEach } from './read-each.ts';
import { shorten } from './shorten.ts';
import { OtherFormat, Unreadable } from './unreadable.ts';
import { isCsaf, readCsafVex } from './vex-csaf.ts';
import { isCycloneDxVex, readCycloneDxVex } from './vex-cyclonedx.ts';
import { isOpenVex, readOpenVex } from './vex-openvex.ts';
import { aboutArtifact, type VexSubject } from './vex-products.ts';
import type { Vex, VexDocument, VexStatement } from './vex-statement.ts';

const STATEMENTS_MAX = 10_000;
const CHARACTERS_MAX = 4 * 1024 * 1024;
const NAMES_MAX = 20;
const COMPONENTS_MAX = 100;
const MAX_LENGTH = { name: 200, component: 500, text: 500 } as const;

/** Reads what a VEX document says about an artifact: OpenVEX, CycloneDX with analyses, or CSAF. */
export function readVex(file: EvidenceFile, subject: VexSubject): Vex {
  const [document, another] = readEach(file, { what: 'VEX document', opening: '{', endings: ['.json'] }, readOne);
  if (!document || another) throw new Unreadable(`${file.name}: contains more than one VEX document; attach only one.`);
  return vexAbout(file.name, document, subject);
}

/** Returns what a document says about an artifact, within bounds. */
export function vexAbout(name: string, { format, author, claims }: VexDocument, subject: VexSubject): Vex {
  if (claims.length === 0) throw new Unreadable(`${name}: has no statement, so it says nothing.`);
  if (claims.length > STATEMENTS_MAX) throw new Unreadable(`${name}: has more than ${STATEMENTS_MAX} statements.`);
  const statements = claims.flatMap((claim) => aboutArtifact(claim, subject)).map(bounded);
  if (statements.reduce((sum, one) => sum + lengthOf(one), 0) > CHARACTERS_MAX)
    throw new Unreadable(`${name}: has statements of more than ${CHARACTERS_MAX} characters.`);
  const others = claims.length - statements.length;
  return { format, author: shorten(author, MAX_LENGTH.text), statements, others };
}

function readOne(file: EvidenceFile): VexDocument {
  const document = readJson(file);
  const vex = readVexDocument(file.name, document);
  if (vex) return vex;
  if (isObject(document) && document['bomFormat'] === 'CycloneDX') {
    throw new OtherFormat(`${file.name}: is CycloneDX without the analysis of any vulnerability, so it is no VEX.`);
  }
  const known = otherFormatOf(document);
  if (known) throw new OtherFormat(`${file.name}: is ${known.name}, not a VEX document. ${known.todo}`);
  throw new OtherFormat(`${file.name}: is neither OpenVEX, CycloneDX with analyses, nor CSAF.`);
}

/** Reads one that is JSON already. Undefined for other documents. */
export function readVexDocument(name: string, document: unknown): VexDocument | undefined {
  if (isOpenVex(document)) return readOpenVex(name, document);
  if (isCycloneDxVex(document)) return readCycloneDxVex(name, document);
  if (isCsaf(document)) return readCsafVex(name, document);
  return undefined;
}

function bounded({ names, components, status, justification, at }: VexStatement): VexStatement {
  const own = [...new Set(names.map((name) => shorten(name, MAX_LENGTH.name)))].filter(Boolean).sort();
  return {
    names: own.slice(0, NAMES_MAX),
    status,
    // One that is cut would be another one.
    ...(components && {
      components: [...new Set(components)].filter(isShort).sort().slice(0, COMPONENTS_MAX),
    }),
    ...(justification && { justification: shorten(justification, MAX_LENGTH.text) }),
    ...(at !== undefined && { at }),
  };
}

function isShort(component: string): boolean {
  return component.length <= MAX_LENGTH.component;
}

function lengthOf({ names, components = [], justification = '' }: VexStatement): number {
  return [...names, ...components, justification].reduce((sum, text) => sum + text.length, 100);
}
