import { alternatives, type OpenApiSchema, resolve, type Schemas, typesOf } from './openapi-document.ts';
import { patternExample } from './patterns.ts';

/** The smallest meaningful value that a schema accepts. An example in the contract takes precedence. */
export function exampleOf(schema: OpenApiSchema, name: string, schemas: Schemas): unknown {
  const target = resolve(schema, schemas);
  const [given = target.default ?? target.const ?? target.enum?.[0]] = target.examples ?? [];
  if (given !== undefined) return given;
  const [option] = alternatives(target);
  if (option) return exampleOf(option, name, schemas);
  switch (typesOf(target)[0]) {
    case 'object':
      return exampleObject(target, schemas);
    case 'array':
      return [exampleOf(target.items ?? {}, name, schemas)];
    case 'integer':
    case 'number':
      return Math.max(target.minimum ?? 1, Math.min(1, target.maximum ?? 1));
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return exampleText(target, name);
  }
}

/** `flow_name` → `my-flow-name`: an obvious placeholder, and a valid name. */
export function placeholder(name: string): string {
  return `my-${name.replaceAll('_', '-')}`;
}

function exampleText(schema: OpenApiSchema, name: string): string {
  if (schema.format === 'uri') return 'https://example.com';
  return patternExample(schema.pattern ?? '') ?? placeholder(name).slice(0, schema.maxLength);
}

function exampleObject(schema: OpenApiSchema, schemas: Schemas): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const keys = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  const known = keys.map((key) => [key, exampleOf(properties[key] ?? {}, key, schemas)]);
  const isMap = typeof additionalProperties === 'object' && known.length === 0;
  return Object.fromEntries(isMap ? [['my-key', exampleOf(additionalProperties, 'value', schemas)]] : known);
}
