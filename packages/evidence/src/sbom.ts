import { readCycloneDx } from './cyclonedx.ts';
import type { EvidenceFile } from './evidence-file.ts';
import { isObject, readJson } from './json-document.ts';
import { readEach } from './read-each.ts';
import type { Sbom, SbomComponent } from './sbom-fields.ts';
import { shorten } from './shorten.ts';
import { readSpdx } from './spdx.ts';
import { OtherFormat, Unreadable } from './unreadable.ts';

/** Reads CycloneDX 1.2 to 1.7 or SPDX 2.2 and 2.3, as JSON. */
export function readSbom(file: EvidenceFile): Sbom {
  const [sbom, another] = readEach(file, { what: 'SBOM', opening: '{', endings: ['.json'] }, readOne);
  if (!sbom || another) throw new Unreadable(`${file.name}: holds more than one SBOM; attach one.`);
  return { ...sbom, components: sbom.components.map(storable) };
}

function readOne(file: EvidenceFile): Sbom {
  const document = readJson(file);
  if (isObject(document) && 'bomFormat' in document) return readCycloneDx(file.name, document);
  if (isObject(document) && 'spdxVersion' in document) return readSpdx(file.name, document);
  if (isObject(document) && '@context' in document) {
    throw new OtherFormat(`${file.name}: looks like SPDX 3 or other JSON-LD; SPDX 2.2 and 2.3 are read.`);
  }
  throw new OtherFormat(`${file.name}: is neither CycloneDX (no "bomFormat") nor SPDX (no "spdxVersion").`);
}

function storable({ name, version, purl }: SbomComponent): SbomComponent {
  const kept = (text: string): string => shorten(text, Number.POSITIVE_INFINITY);
  return { name: kept(name), version: kept(version), purl: purl === null ? null : kept(purl) };
}
