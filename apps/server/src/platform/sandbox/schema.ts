import { Ajv as AjvDraft07, type AnySchemaObject, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { isDeeperThan } from '../http/json-body.ts';
import { compilePattern } from './pattern.ts';

export const SCHEMA_MAX_BYTES = 64 * 1024;

const SCHEMA_MAX_DEPTH = 64;
const PROBLEMS_MAX = 20;
const PROBLEM_MAX_LENGTH = 300;

export type CompiledSchema =
  | { readonly ok: true; readonly problemsOf: (data: unknown) => string[] }
  | { readonly ok: false; readonly problem: string };

const CACHE_SIZE = 100;

const cache = new LRUCache<string, CompiledSchema>({ max: CACHE_SIZE, memoMethod: tryToCompile });

/** Compiles a customer's JSON Schema, or returns why it cannot be used. */
export function compileSchema(text: string): CompiledSchema {
  return cache.memo(text);
}

function tryToCompile(text: string): CompiledSchema {
  try {
    return { ok: true, problemsOf: compile(parse(text)) };
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, problem: 'is nested too deeply to compile' };
    return { ok: false, problem: `cannot be used as a JSON Schema: ${cut((error as Error).message)}` };
  }
}

const drafts = [
  {
    uri: /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
    Ajv: Ajv2020,
    judge: new Ajv2020({ strict: false }),
  },
  {
    uri: /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/,
    Ajv: AjvDraft07,
    judge: new AjvDraft07({ strict: false }),
  },
] as const;

/** References can only point into the document itself: not even the meta-schema is available. */
const OPTIONS: Options = {
  meta: false,
  validateSchema: false,
  strict: false,
  logger: false,
  allErrors: true,
  inlineRefs: false,
  $data: false,
  code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
};

function parse(text: string): AnySchemaObject {
  if (Buffer.byteLength(text) > SCHEMA_MAX_BYTES) throw new Error(`it is larger than ${SCHEMA_MAX_BYTES} bytes`);
  if (isDeeperThan(text, SCHEMA_MAX_DEPTH)) throw new Error(`it is nested more than ${SCHEMA_MAX_DEPTH} levels deep`);
  const schema: unknown = JSON.parse(text);
  if (!isObject(schema)) throw new Error('it is not a JSON object');
  return schema;
}

function compile(schema: AnySchemaObject): (data: unknown) => string[] {
  const declared: unknown = schema['$schema'] ?? 'https://json-schema.org/draft/2020-12/schema';
  const draft = drafts.find(({ uri }) => typeof declared === 'string' && uri.test(declared));
  if (!draft) throw new Error('its $schema is neither draft 2020-12 nor draft 07');
  if (schema['$async'] !== undefined) throw new Error('$async is not allowed');
  const { judge, Ajv } = draft;
  const { $schema: _, ...rules } = schema;
  if (judge.validateSchema(rules) !== true) throw new Error(judge.errors?.slice(0, 3).map(describeError).join('; '));
  tryPatterns(rules);
  // One instance per schema: an instance remembers the ids it has seen.
  const ajv = new Ajv(OPTIONS);
  addFormats.default(ajv);
  const validate = ajv.compile(rules);
  return (data) => {
    try {
      return validate(data) === true ? [] : (validate.errors ?? []).slice(0, PROBLEMS_MAX).map(describeError);
    } catch (error) {
      if (error instanceof RangeError) return ['the schema refers to itself endlessly on this data'];
      throw error;
    }
  };
}

/** Includes definitions that nothing refers to yet, which would not be compiled. */
function tryPatterns(part: unknown): void {
  if (Array.isArray(part)) part.forEach(tryPatterns);
  if (!isObject(part)) return;
  for (const [key, value] of Object.entries(part)) {
    if (key === 'const' || key === 'enum' || key === 'default' || key === 'examples') continue;
    if (key === 'pattern' && typeof value === 'string') compilePattern(value);
    if (key === 'patternProperties' && isObject(value)) Object.keys(value).forEach(compilePattern);
    tryPatterns(value);
  }
}

function describeError({ instancePath, message = 'is not valid', keyword, params }: ErrorObject): string {
  const detail: unknown = DETAILS[keyword] && params[DETAILS[keyword]];
  return cut(`${instancePath || '/'} ${message}${detail === undefined ? '' : `: ${JSON.stringify(detail)}`}`);
}

/** Where the message does not say which one is meant. */
const DETAILS: Readonly<Record<string, string>> = {
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
  propertyNames: 'propertyName',
  enum: 'allowedValues',
  const: 'allowedValue',
};

function cut(text: string): string {
  return text.length > PROBLEM_MAX_LENGTH ? `${text.slice(0, PROBLEM_MAX_LENGTH)}…` : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
