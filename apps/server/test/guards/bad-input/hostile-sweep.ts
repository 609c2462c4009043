import * as fc from 'fast-check';
import { headerText } from './hostile-headers.ts';
import { percentEncoded } from './hostile-path.ts';
import type { HostileRequest } from './hostile-request.ts';
import { toJsonText, unstorableTexts } from './hostile-value.ts';
import { type JsonSchema, resolved, valuesOf } from './json-schema-arbitrary.ts';
import { jsonOf, type Operation, type Parameter, type World } from './operation.ts';

const PATH_AND_QUERY = [...unstorableTexts, '', ' ', '__proto__', 'constructor', "'", '-1', '1e400', 'x'.repeat(2000)];
const MEMBERS = [...PATH_AND_QUERY, null, 0, 1e300, true, [], {}, [[]], ['\u0000'], { '\u0000': 'x' }, { a: '\u0000' }];

/**
 * Every parameter and every member of the body in turn, with every value that is known to cause trouble, all else
 * valid.
 */
export function* sweep(operation: Operation, world: World): Generator<HostileRequest> {
  const valid = validRequest(operation, world);
  for (const { name } of operation.parameters) {
    for (const text of PATH_AND_QUERY) yield requestWith(operation, world, valid, { parameters: { [name]: text } });
  }
  for (const name of Object.keys(bodyOf(operation)?.properties ?? {})) {
    for (const value of MEMBERS) yield requestWith(operation, world, valid, { members: { [name]: value } });
  }
}

interface ValidRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly members: object | undefined;
}

/** Made once: generating a valid body takes longer for some operations than the request. */
function validRequest(operation: Operation, world: World): ValidRequest {
  const values = operation.parameters.map(({ name, schema }) => [
    name,
    world.names[name] ?? String(validOf(operation, schema)),
  ]);
  const body = bodyOf(operation);
  return { parameters: Object.fromEntries(values), members: body && requiredOf(operation, body) };
}

function requestWith(
  operation: Operation,
  world: World,
  valid: ValidRequest,
  { parameters = {}, members = {} }: Partial<ValidRequest>,
): HostileRequest {
  const value = ({ name }: Parameter) => parameters[name] ?? valid.parameters[name] ?? '';
  const text = (parameter: Parameter) => percentEncoded(value(parameter));
  const path = operation.parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((path, parameter) => path.replace(`{${parameter.name}}`, () => text(parameter)), operation.path);
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.name in parameters)
    .map((parameter) => `?${parameter.name}=${text(parameter)}`);
  const headers = operation.parameters
    .filter((parameter) => parameter.in === 'header' && (parameter.required || parameter.name in parameters))
    .map((parameter) => [parameter.name, headerText(value(parameter))]);
  return {
    method: operation.method,
    url: `/api/v2${path}${query.join('')}`,
    headers: {
      ...Object.fromEntries(headers),
      authorization: `Bearer ${world.keys.admin}`,
      ...(valid.members && { 'content-type': 'application/json' }),
    },
    payload: valid.members && Buffer.from(toJsonText({ ...valid.members, ...members })),
  };
}

function bodyOf({ requestBody, schemas }: Operation): JsonSchema | undefined {
  const schema = jsonOf(requestBody)?.schema;
  return schema && resolved(schema, schemas);
}

function requiredOf(operation: Operation, { properties = {}, required = [] }: JsonSchema): object {
  return Object.fromEntries(required.map((name) => [name, validOf(operation, properties[name] ?? {})]));
}

function validOf({ schemas }: Operation, schema: JsonSchema): unknown {
  return fc.sample(valuesOf(schema, schemas), { numRuns: 1, seed: 1 })[0];
}
