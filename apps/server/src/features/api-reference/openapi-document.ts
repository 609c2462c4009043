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
  readonly schema: OpenApiSchema;
}

type Content = Readonly<Record<string, { readonly schema: OpenApiSchema }>>;

export type Schemas = Readonly<Record<string, OpenApiSchema>>;

export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Schemas;
  readonly required?: readonly string[];
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly propertyNames?: OpenApiSchema;
  readonly items?: OpenApiSchema;
  readonly anyOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
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

export function resolve(schema: OpenApiSchema, schemas: Schemas): OpenApiSchema {
  return schema.$ref === undefined ? schema : (schemas[refName(schema.$ref)] ?? {});
}

/** A type with null beside it is emitted as a list of the two. */
export function typesOf({ type = [] }: OpenApiSchema): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

export function alternatives(schema: OpenApiSchema): readonly OpenApiSchema[] {
  return schema.anyOf ?? schema.oneOf ?? [];
}

export function operationsOf(document: ApiDocument, tag: string): Operation[] {
  return Object.entries(document.paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
    )
    .filter((operation) => operation.tags.includes(tag));
}
