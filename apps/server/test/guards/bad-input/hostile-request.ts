import * as fc from 'fast-check';
import { type Body, hostileBodies, validBodies } from './hostile-body.ts';
import { type FormShape, hostileForms, validForms } from './hostile-form.ts';
import { authorizations, hostileHeaders, validHeaders } from './hostile-headers.ts';
import { hostilePaths, validPaths } from './hostile-path.ts';
import { hostileQueries, validQueries } from './hostile-query.ts';
import { valuesOf } from './json-schema-arbitrary.ts';
import { jsonOf, type Operation, type World } from './operation.ts';

export interface HostileRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer | undefined;
}

type Place = 'path' | 'query' | 'headers' | 'body';

/** Requests that are right in all places but one, and some that are wrong everywhere. */
export function requestsFor(operation: Operation, world: World): fc.Arbitrary<HostileRequest> {
  const path = { valid: validPaths(operation, world), hostile: hostilePaths(operation, world) };
  const query = { valid: validQueries(operation), hostile: hostileQueries(operation) };
  const headers = { valid: validHeaders(operation), hostile: hostileHeaders(operation) };
  const body = bodiesOf(operation);
  const wrongIn = (...places: Place[]): fc.Arbitrary<HostileRequest> =>
    fc
      .record({
        path: places.includes('path') ? path.hostile : path.valid,
        query: places.includes('query') ? query.hostile : query.valid,
        headers: places.includes('headers') ? headers.hostile : headers.valid,
        body: places.includes('body') ? body.hostile : body.valid,
        authorization: authorizations(world),
      })
      .map((parts) => toRequest(operation.method, parts));
  return fc.oneof(
    { weight: operation.requestBody ? 10 : 2, arbitrary: wrongIn('body') },
    { weight: 3, arbitrary: wrongIn('path') },
    {
      weight: operation.parameters.some((parameter) => parameter.in === 'query') ? 12 : 2,
      arbitrary: wrongIn('query'),
    },
    {
      weight: operation.parameters.some((parameter) => parameter.in === 'header') ? 6 : 2,
      arbitrary: wrongIn('headers'),
    },
    { weight: 1, arbitrary: wrongIn('path', 'query', 'headers', 'body') },
  );
}

function toRequest(
  method: string,
  parts: {
    path: string;
    query: string;
    headers: Record<string, string>;
    body: Body | undefined;
    authorization: string | undefined;
  },
): HostileRequest {
  const { body, authorization } = parts;
  return described({
    method,
    url: `/api/v2${parts.path}${parts.query && `?${parts.query}`}`,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(body?.type !== undefined && { 'content-type': body.type }),
      ...parts.headers,
    },
    payload: body?.content,
  });
}

function described(request: HostileRequest): HostileRequest {
  return Object.assign(request, { [fc.toStringMethod]: () => describeRequest(request) });
}

/** The parts of a request that help to understand a failure; the seed reproduces the rest. */
export function describeRequest({ method, url, headers, payload }: HostileRequest): string {
  const start = payload && JSON.stringify(payload.subarray(0, 2000).toString('latin1'));
  const body = payload ? `\n${payload.length} bytes: ${start}` : '';
  return `${method} ${url.slice(0, 2000)} ${JSON.stringify(headers).slice(0, 2000)}${body}`;
}

function bodiesOf({ requestBody, schemas }: Operation) {
  const json = jsonOf(requestBody);
  if (!json) {
    const hostile = fc.option(hostileBodies(fc.constant({})), { nil: undefined });
    return { valid: fc.constant(undefined), hostile };
  }
  const values = valuesOf(json.schema, schemas);
  const form = requestBody?.content['multipart/form-data'];
  if (!form) return { valid: validBodies(values), hostile: hostileBodies(values) };
  const [file = ''] = Object.keys(form.schema.properties ?? {}).filter((name) => !form.schema.required?.includes(name));
  const shape: FormShape = { json: form.schema.required?.[0] ?? '', file, values };
  return {
    valid: fc.oneof(validForms(shape), validBodies(values)),
    hostile: fc.oneof({ weight: 3, arbitrary: hostileForms(shape) }, { weight: 1, arbitrary: hostileBodies(values) }),
  };
}
