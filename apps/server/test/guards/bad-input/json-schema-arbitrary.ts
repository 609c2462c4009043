import * as fc from 'fast-check';

/** The part of JSON Schema that the contracts use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
}

export type Schemas = Readonly<Record<string, JsonSchema>>;

const REFERENCE = '#/components/schemas/';

/** Values that the schema allows, small ones. */
export function valuesOf(schema: JsonSchema, schemas: Schemas): fc.Arbitrary<unknown> {
  const inner = (part: JsonSchema) => valuesOf(part, schemas);
  if (schema.$ref !== undefined) return inner(resolved(schema, schemas));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map(inner));
  switch (schema.type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.integer(within(schema, 1_000_000));
    case 'number':
      return fc.double({ ...within(schema, 1e12), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(inner(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 5 });
    case 'object':
      return objects(schema, inner);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

export function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const referred = schemas[schema.$ref.slice(REFERENCE.length)];
  if (!referred) throw new Error(`there is no schema ${schema.$ref}`);
  return referred;
}

function texts({ pattern, minLength = 0, maxLength = 1000 }: JsonSchema): fc.Arbitrary<string> {
  if (pattern === undefined) return fc.string({ minLength, maxLength: Math.min(maxLength, 100) });
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength;
  return fc.stringMatching(new RegExp(pattern)).filter(fits);
}

function within({ minimum, maximum }: JsonSchema, limit: number): { min: number; max: number } {
  return { min: Math.max(minimum ?? -limit, -limit), max: Math.min(maximum ?? limit, limit) };
}

function objects(schema: JsonSchema, inner: (part: JsonSchema) => fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties: others } = schema;
  const named = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part)]));
  const known = fc.record(named, { requiredKeys: [...required] });
  if (typeof others !== 'object') return known;
  const keys = schema.propertyNames ? inner(schema.propertyNames).map(String) : fc.string();
  const more = fc.dictionary(keys, inner(others), { maxKeys: 4 });
  return fc.tuple(known, more).map(([some, rest]) => ({ ...rest, ...some }));
}
