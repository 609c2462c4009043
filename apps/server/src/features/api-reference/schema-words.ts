import { type Html, html, joined, type Part, prose } from '../../platform/http/html.ts';
import { alternatives, type OpenApiSchema, refName, typesOf } from './openapi-document.ts';
import { patternWords } from './patterns.ts';

const KINDS: Record<string, string> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  null: 'null',
  object: 'object',
};

/** A schema as a reader would say it: "text (at most 255 characters) or null". */
export function wordsFor(schema: OpenApiSchema): Html {
  const limits = limitsOf(schema);
  const rest = limits.length > 0 && html` <span class="limits">(${joined(limits, '; ')})</span>`;
  return html`${kindOf(schema)}${rest}${schema.items && html` of ${wordsFor(schema.items)}`}`;
}

export function schemaLink(name: string): Html {
  return html`<a href="#schema-${name}">${name}</a>`;
}

/** Zod puts the description of an optional value one level down. */
export function descriptionOf(schema: OpenApiSchema): string | undefined {
  return schema.description ?? alternatives(schema).find((option) => option.description)?.description;
}

function kindOf(schema: OpenApiSchema): Part {
  if (schema.$ref !== undefined) return schemaLink(refName(schema.$ref));
  if (schema.const !== undefined) return html`always ${literal(schema.const)}`;
  if (schema.enum) return schema.enum.length === 1 ? schema.enum.map(literal) : oneOf(schema.enum);
  const options = alternatives(schema);
  if (options.length > 0) return anyOf(options);
  if (schema.contentMediaType !== undefined) return 'file';
  if (schema.items) return 'list';
  if (typeof schema.additionalProperties === 'object' && !schema.properties) return mapWords(schema);
  return typeWords(typesOf(schema)) || 'any JSON';
}

function typeWords(types: readonly string[]): string {
  // "true or false or null" would be one "or" too many.
  const words = types.map((type) => (type === 'boolean' && types.length > 1 ? type : (KINDS[type] ?? type)));
  return words.join(' or ');
}

/** Clients send an empty text for absent values, so many fields may also be empty. */
const OR_EMPTY = ', or empty';

function anyOf(options: readonly OpenApiSchema[]): Part {
  const listed = options.filter((option) => option.const !== '');
  const words = listed.map((option) => (option.const === undefined ? wordsFor(option) : literal(option.const)));
  return [joined(words, ' or '), listed.length < options.length && OR_EMPTY];
}

function oneOf(values: readonly unknown[]): Part {
  const listed = values.filter((value) => value !== '');
  return ['one of ', joined(listed.map(literal), ', '), listed.length < values.length && OR_EMPTY];
}

function mapWords({ propertyNames, additionalProperties }: OpenApiSchema): Html {
  const values = typeof additionalProperties === 'object' ? additionalProperties : {};
  return html`map of ${wordsFor(propertyNames ?? { type: 'string' })} to ${wordsFor(values)}`;
}

function literal(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
}

function limitsOf(schema: OpenApiSchema): Part[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, pattern, format } = schema;
  return [
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    range(beyondSafe(minimum) ? undefined : minimum, beyondSafe(maximum) ? undefined : maximum, ''),
    // Formats come with a long pattern of their own, which says less than the name.
    format ?? (pattern !== undefined && patternLimit(pattern)),
    schema.default !== undefined && html`default ${literal(schema.default)}`,
  ].filter((limit) => limit !== undefined && limit !== false);
}

function patternLimit(pattern: string): Html {
  const words = patternWords(pattern);
  return words === undefined ? html`matching <code>${pattern}</code>` : prose(words);
}

/** Zod writes out the range of safe integers; nobody needs to read it. */
function beyondSafe(limit: number | undefined): boolean {
  return limit !== undefined && Math.abs(limit) >= Number.MAX_SAFE_INTEGER;
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least !== undefined && least === most) return `exactly ${figure(least)}${unit}`;
  if (least !== undefined && most !== undefined) return `${figure(least)} to ${figure(most)}${unit}`;
  if (least !== undefined) return `at least ${figure(least)}${unit}`;
  if (most !== undefined) return `at most ${figure(most)}${unit}`;
  return undefined;
}

function figure(value: number): string {
  return value.toLocaleString('en');
}
