import type { YamlPlace } from './yaml-place.ts';

/** The parts of a JSON Schema that completion uses. */
interface SchemaPart {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly items?: SchemaPart;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaPart[];
}

export interface Proposal {
  readonly label: string;
  readonly detail?: string;
  /** The text to insert, if it is not the label. */
  readonly insert?: string;
}

/** Names in the org, by the key that takes them as its value. */
export type KnownNames = Readonly<Record<string, readonly Proposal[]>>;

function partAt(schema: SchemaPart, path: readonly string[]): SchemaPart | undefined {
  let part: SchemaPart | undefined = schema;
  for (const name of path) part = name === '[]' ? part?.items : part?.properties?.[name];
  return part;
}

/** What follows a key: its value, or indented lines below it. */
function keyText(name: string, part: SchemaPart): string {
  return part.type === 'object' || part.type === 'array' ? `${name}:` : `${name}: `;
}

function keysOf(part: SchemaPart | undefined): Proposal[] {
  return Object.entries(part?.properties ?? {}).map(([name, property]) => ({
    label: name,
    insert: keyText(name, property),
    ...(property.description !== undefined && { detail: property.description }),
  }));
}

/** An asterisk alone would be an alias in YAML. */
const asScalar = (value: unknown) => (value === '*' ? '"*"' : String(value));

function valuesOf(part: SchemaPart | undefined): Proposal[] {
  if (part?.type === 'boolean') return [{ label: 'true' }, { label: 'false' }];
  const listed = [part, ...(part?.anyOf ?? [])].flatMap((one) => one?.enum ?? []);
  return listed.map((value) => ({ label: asScalar(value) }));
}

/** Returns the completions at a place: keys of the schema, or values from the schema and the org. */
export function proposalsAt(place: YamlPlace, schema: unknown, names: KnownNames): readonly Proposal[] {
  const around = partAt((schema ?? {}) as SchemaPart, place.path);
  if (place.key === undefined) return keysOf(around);
  const known = around?.properties?.[place.key] === undefined ? [] : (names[place.key] ?? []);
  return [...valuesOf(around?.properties?.[place.key]), ...known];
}
