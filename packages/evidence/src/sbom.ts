import { readCycloneDx } from './cyclonedx.ts';
import { hasCycloneDxFindings, readCycloneDxFindings } from './cyclonedx-findings.ts';
import { readCycloneDxXml } from './cyclonedx-xml.ts';
import { documentText } from './document-text.ts';
import type { EvidenceFile } from './evidence-file.ts';
import { isObject, parseJson } from './json-document.ts';
import { otherFormatOf } from './known-formats.ts';
import { licensesOf } from './licenses.ts';
import { normalizeFindings } from './normalized-findings.ts';
import { readEach } from './read-each.ts';
import type { Sbom, SbomComponent } from './sbom-fields.ts';
import { shorten } from './shorten.ts';
import { readSpdx } from './spdx.ts';
import { readSpdx3, spdx3Version } from './spdx-3.ts';
import { OtherFormat, Unreadable } from './unreadable.ts';

/** Reads CycloneDX 1.2 to 1.7 as JSON or XML, SPDX 2.2 and 2.3 as JSON, and SPDX 3 as JSON-LD. */
export function readSbom(file: EvidenceFile): Sbom {
  const [sbom, another] = readEach(file, { what: 'SBOM', opening: '{<', endings: ['.json', '.xml'] }, readOne);
  if (!sbom || another) throw new Unreadable(`${file.name}: contains more than one SBOM; attach only one.`);
  return sbom;
}

/** Reads one that is JSON already. */
export function readSbomDocument(name: string, document: unknown): Sbom {
  return clean(readDocument(name, document));
}

function clean(sbom: Sbom): Sbom {
  const licenses = licensesOf(sbom.components);
  return { ...sbom, components: sbom.components.map(storable), ...(licenses && { licenses }) };
}

function readOne(file: EvidenceFile): Sbom {
  const text = documentText(file);
  if (text.trimStart().startsWith('<')) return clean(readCycloneDxXml(file.name, text));
  const document = parseJson(file.name, text);
  return { ...readSbomDocument(file.name, document), ...findingsIn(file.name, document) };
}

/** Of CycloneDX as JSON, in which a scanner may list what it found beside the components. */
function findingsIn(name: string, document: unknown): Pick<Sbom, 'findings'> {
  if (!hasCycloneDxFindings(document)) return {};
  return { findings: normalizeFindings(readCycloneDxFindings(name, document).findings) };
}

function readDocument(name: string, document: unknown): Sbom {
  const neither = `${name}: is neither CycloneDX (no "bomFormat") nor SPDX (no "spdxVersion").`;
  if (!isObject(document)) throw new OtherFormat(neither);
  if ('bomFormat' in document) return readCycloneDx(name, document);
  if ('spdxVersion' in document) return readSpdx(name, document);
  const spdx3 = spdx3Version(document);
  if (spdx3 !== undefined) return readSpdx3(name, document, spdx3);
  const known = otherFormatOf(document);
  if (known) throw new OtherFormat(`${name}: is ${known.name}, not an SBOM. ${known.todo}`);
  throw new OtherFormat(neither);
}

function storable({ name, version, purl, ...license }: SbomComponent): SbomComponent {
  const clean = (text: string): string => shorten(text, Number.POSITIVE_INFINITY);
  return { name: clean(name), version: clean(version), purl: purl === null ? null : clean(purl), ...license };
}
