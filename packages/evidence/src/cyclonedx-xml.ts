import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { Sbom, SbomComponent } from './sbom-fields.ts';
import { CYCLONEDX_VERSIONS, licenseOf, MAX_COMPONENTS, Name, Purl, Version } from './sbom-fields.ts';
import { shaped } from './shape.ts';
import { quoted, shorten } from './shorten.ts';
import { OtherFormat, Unreadable } from './unreadable.ts';

const DEEPEST = 64;
const MAX_TEXT_LENGTH = 5_000;
const LICENSES_MAX = 50;
const NAMESPACE = /^http:\/\/cyclonedx\.org\/schema\/bom\/(\d+\.\d+)$/;
const FIELDS = ['name', 'version', 'purl'] as const;
type Field = (typeof FIELDS)[number];

/** A listed component, not an ancestor of one. */
interface Listed {
  readonly fields: Partial<Record<Field, string>>;
  readonly licenses: string[];
  readonly place: number;
}

interface Open {
  readonly name: string;
  readonly component: Listed | undefined;
  readonly isList: boolean;
}

interface Reading {
  readonly file: string;
  readonly open: Open[];
  readonly found: (SbomComponent | undefined)[];
  specVersion: string | undefined;
  /** The text of the field that is being read. */
  text: string | undefined;
}

/** Reads the XML form. Entities cannot be declared, because a DOCTYPE is refused. */
export function readCycloneDxXml(file: string, text: string): Sbom {
  const parser = new SaxesParser({ xmlns: true });
  const reading: Reading = { file, open: [], found: [], specVersion: undefined, text: undefined };
  const refuse = (message: string): never => {
    throw new Unreadable(`${file}: line ${parser.line}, column ${parser.column}: ${message}.`);
  };
  parser.on('error', (error) => refuse(shorten(error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''), 500)));
  parser.on('doctype', () => refuse('a DOCTYPE is not accepted'));
  parser.on('opentag', (tag) => enter(reading, tag, refuse));
  parser.on('closetag', () => leave(reading));
  parser.on('text', (part) => collect(reading, part, refuse));
  parser.on('cdata', (part) => collect(reading, part, refuse));
  parser.write(text).close();
  const components = reading.found.filter((component) => component !== undefined);
  return { format: 'CycloneDX', specVersion: reading.specVersion ?? '', components };
}

function enter(reading: Reading, tag: SaxesTagNS, refuse: (message: string) => never): void {
  const { open } = reading;
  if (open.length >= DEEPEST) refuse(`elements are nested deeper than ${DEEPEST} levels`);
  if (open.length === 0) readRoot(reading, tag, refuse);
  const parent = open.at(-1);
  const isList = tag.local === 'components' && (open.length === 1 || parent?.component !== undefined);
  const component = tag.local === 'component' && parent?.isList === true ? openComponent(reading, refuse) : undefined;
  const isRead = parent?.component !== undefined && isField(tag.local);
  if (isRead || licensed(open, tag.local) !== undefined) reading.text = '';
  open.push({ name: tag.local, component, isList });
}

function readRoot(reading: Reading, { name, local, uri }: SaxesTagNS, refuse: (message: string) => never): void {
  const version = NAMESPACE.exec(uri)?.[1];
  if (local !== 'bom' || version === undefined) {
    throw new OtherFormat(
      `${reading.file}: the root is <${shorten(name, 200)}>, which is not a supported SBOM format.`,
    );
  }
  const known: readonly string[] = CYCLONEDX_VERSIONS;
  if (!known.includes(version)) refuse(`CycloneDX ${quoted(version)} is not read; ${known.join(', ')} are`);
  reading.specVersion = version;
}

function openComponent(reading: Reading, refuse: (message: string) => never): Listed {
  const place = reading.found.push(undefined) - 1;
  if (place >= MAX_COMPONENTS) refuse(`there are more than ${MAX_COMPONENTS} components`);
  return { fields: {}, licenses: [], place };
}

function collect(reading: Reading, part: string, refuse: (message: string) => never): void {
  if (reading.text === undefined) return;
  reading.text += part;
  if (reading.text.length <= MAX_TEXT_LENGTH) return;
  const isLicense = reading.open.at(-2)?.component === undefined;
  if (!isLicense) refuse(`a name, version or purl is longer than ${MAX_TEXT_LENGTH} characters`);
  reading.text = reading.text.slice(0, MAX_TEXT_LENGTH);
}

function leave(reading: Reading): void {
  const element = reading.open.pop();
  const parent = reading.open.at(-1);
  if (element === undefined) return;
  if (element.component) {
    reading.found[element.component.place] = componentOf(reading.file, element.component);
  } else if (parent?.component && isField(element.name) && reading.text !== undefined) {
    parent.component.fields[element.name] ??= reading.text.trim();
    reading.text = undefined;
  } else if (reading.text !== undefined) {
    const component = licensed(reading.open, element.name);
    if (component && component.licenses.length < LICENSES_MAX) component.licenses.push(reading.text);
    if (component) reading.text = undefined;
  }
}

/** Returns the component whose license an element names: `licenses/expression`, or `licenses/license/id` or `name`. */
function licensed(open: readonly Open[], name: string): Listed | undefined {
  const path = open.slice(-2).map((one) => one.name);
  if (name === 'expression' && path[1] === 'licenses') return open.at(-2)?.component;
  const isNamed = (name === 'id' || name === 'name') && path[0] === 'licenses' && path[1] === 'license';
  return isNamed ? open.at(-3)?.component : undefined;
}

function componentOf(file: string, { fields, licenses, place }: Listed): SbomComponent {
  const path = ['components', place];
  return {
    name: shaped(file, Name, fields.name, [...path, 'name']),
    version: shaped(file, Version, fields.version ?? '', [...path, 'version']),
    purl: fields.purl === undefined ? null : shaped(file, Purl, fields.purl, [...path, 'purl']),
    ...licenseOf(licenses),
  };
}

function isField(name: string): name is Field {
  return (FIELDS as readonly string[]).includes(name);
}
