/** The parts of an OpenAPI 3.1 document that the page shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathOperation>>>>;
  readonly components: { readonly schemas: Schemas };
}

interface PathOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly 'x-least-role'?: string;
  readonly 'x-beta'?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
  /** Absent where the response has no body. */
  readonly content?: Content;
}

export interface Operation extends PathOperation {
  readonly method: string;
  readonly path: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export type Schemas = Readonly<Record<string, Schema>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Schemas;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly contentMediaType?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const PREFIX = '#/components/schemas/';

export function refName(ref: string): string {
  return ref.startsWith(PREFIX) ? ref.slice(PREFIX.length) : ref;
}

export function resolve(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref === undefined ? schema : (schemas[refName(schema.$ref)] ?? {});
}

/** A type with null beside it is emitted as a list of the two. */
export function typesOf({ type = [] }: Schema): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

export function alternatives(schema: Schema): readonly Schema[] {
  return schema.anyOf ?? schema.oneOf ?? [];
}

export function operationsOf(document: ApiDocument, tag: string): Operation[] {
  return Object.entries(document.paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
    )
    .filter((operation) => operation.tags.includes(tag));
}
