import type { JsonSchema, Schemas } from './json-schema-arbitrary.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, unknown>> }>>;
}

/** The parts of an OpenAPI document that are used. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Schemas };
}

export interface Operation extends DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly schemas: Schemas;
  /** Whether the response is a stream that does not end by itself. */
  readonly isStream: boolean;
}

/** Facts about the server under test: keys that work, and names of things that exist, by parameter. */
export interface World {
  readonly keys: { readonly admin: string; readonly reader: string; readonly foreign: string };
  readonly names: Readonly<Record<string, string>>;
}

/** The JSON form of the body, under whichever name. */
export function jsonOf(body: Operation['requestBody']): { readonly schema: JsonSchema } | undefined {
  return body?.content['application/json'] ?? body?.content['application/scim+json'];
}

export function operationsOf(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      schemas: document.components.schemas,
      isStream: operation.responses['200']?.content['text/event-stream'] !== undefined,
    })),
  );
}
