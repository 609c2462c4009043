import { z } from 'zod';
import { ChangeRequest } from './change-requests.ts';
import { type Contract, type ErrorStatus, errorsOf, fillPath, isFileContract } from './contract.ts';
import { controlRuleOf, isPermission, leastRole, scopesReaching } from './permissions.ts';
import { Problem, ScimProblem, ValidationProblem } from './problems.ts';

type Json = Record<string, unknown>;

const ERROR_MEANING: Record<ErrorStatus, string> = {
  400: 'The request is not valid',
  401: 'The credential is missing, malformed, expired, or revoked',
  403: 'The caller does not have this permission, or the org does not exist',
  404: 'The resource does not exist in this org',
  408: 'The request did not arrive within 60 seconds, or its body arrived more slowly than 1 KiB per second',
  409: 'It already exists, or the state of the org does not allow it; the message has the details',
  413: 'The body or one of its parts is too large',
  429: 'Too many requests; retry after `Retry-After` seconds',
  431: 'The URL and the headers exceed 16 KiB in total',
  500: 'Internal error; report it with the id in `X-Request-Id`',
  503: 'Temporarily unavailable; retry after `Retry-After` seconds',
};

function meaningOf({ addsEvidence }: Contract, status: ErrorStatus): string {
  if (status !== 413 || !addsEvidence) return ERROR_MEANING[status];
  return `${ERROR_MEANING[status]}, or the storage quota of the org is exhausted; the message says which`;
}

/** Turns the contracts into an OpenAPI 3.1 document. Schemas with an id become components. */
export function toOpenApi(contracts: readonly Contract[], info: { version: string; serverUrl: string }): Json {
  const components: Json = {};
  const schema = (type: z.ZodType): Json => toComponents(type, components);

  const paths: Record<string, Json> = {};
  for (const contract of contracts) {
    const path = fillPath(contract, (name) => `{${name}}`);
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation(contract, schema) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waymark API',
      version: info.version,
      description:
        'Records software artifacts, their evidence, and what runs in your environments, and judges ' +
        'them by your policies.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: info.serverUrl }],
    tags: [...new Set(contracts.map((contract) => contract.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key' },
        basic: { type: 'http', scheme: 'basic', description: 'An API key as the user name; the password is ignored' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-waymark',
          description: 'Session of a signed-in user; ignored if there is an `Authorization` header',
        },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: 'The CSRF token of the session, from `GET /user/session`',
        },
      },
    },
  };
}

function operation(contract: Contract, schema: (type: z.ZodType) => Json): Json {
  return {
    operationId: contract.id,
    summary: contract.summary,
    ...(contract.description && { description: contract.description }),
    tags: [contract.tag],
    security: security(contract),
    ...(isPermission(contract.access) && {
      'x-permission': contract.access,
      'x-least-role': leastRole(contract.access),
    }),
    ...(scopesReaching(contract).length > 0 && { 'x-scopes': scopesReaching(contract) }),
    ...(controlRuleOf(contract) && { 'x-change-control': controlRuleOf(contract)?.kind }),
    ...(contract.deprecated && { deprecated: true }),
    ...(contract.beta && { 'x-beta': contract.beta }),
    parameters: [
      ...parameters(contract.params, 'path', schema),
      ...parameters(contract.query, 'query', schema),
      ...dryRunParameter(contract),
      ...conditionalParameter(contract),
      ...parameters(contract.headers, 'header', schema),
      ...betaParameter(contract),
    ],
    ...(contract.body && { requestBody: requestBody(contract.body, contract, schema) }),
    responses: { ...success(contract, schema), ...held(contract, schema), ...failures(contract, schema) },
  };
}

function security(contract: Contract): Json[] {
  if (contract.access === 'public') return [];
  if (contract.access === 'scim') return [{ bearer: [] }];
  const bySession = contract.method === 'GET' ? { session: [] } : { session: [], csrf: [] };
  if (contract.access === 'session') return [bySession];
  return [{ bearer: [] }, ...(contract.basicAuth ? [{ basic: [] }] : []), bySession];
}

function parameters(
  shape: z.ZodObject | undefined,
  place: 'path' | 'query' | 'header',
  schema: (type: z.ZodType) => Json,
): Json[] {
  if (!shape) return [];
  const required = new Set((schema(shape)['required'] as string[] | undefined) ?? []);
  return Object.entries(shape.shape).map(([name, type]) => {
    const { description, ...rest } = schema(type as z.ZodType);
    return { name, in: place, required: required.has(name), ...(description ? { description } : {}), schema: rest };
  });
}

function betaParameter({ beta }: Contract): Json[] {
  if (!beta) return [];
  const description = `Must contain \`${beta}\`, unless beta features are on for the org; separate several names with commas`;
  return [
    { name: 'Waymark-Beta', in: 'header', required: false, description, schema: { type: 'string', examples: [beta] } },
  ];
}

function dryRunParameter({ dryRun }: Contract): Json[] {
  if (!dryRun) return [];
  const description = 'If true, the request is validated and answered as usual, but nothing is recorded';
  return [{ name: 'dry_run', in: 'query', required: false, description, schema: { type: 'boolean' } }];
}

function conditionalParameter({ conditional }: Contract): Json[] {
  if (!conditional) return [];
  const description = 'The `ETag` of an earlier response; answers 304 if nothing changed';
  return [{ name: 'If-None-Match', in: 'header', required: false, description, schema: { type: 'string' } }];
}

function requestBody(body: z.ZodType, contract: Contract, schema: (type: z.ZodType) => Json): Json {
  const json = { [isScim(contract) ? SCIM_TYPE : 'application/json']: { schema: schema(body) } };
  if (!contract.form) return { required: !body.safeParse(undefined).success, content: json };
  const { json: part, file } = contract.form;
  const form = {
    type: 'object',
    required: [part],
    properties: {
      [part]: schema(body),
      [file.name]: { type: 'string', contentMediaType: 'application/octet-stream', description: file.description },
    },
  };
  return { required: true, content: { 'multipart/form-data': { schema: form }, ...json } };
}

function success(contract: Contract, schema: (type: z.ZodType) => Json): Json {
  if (contract.status === 204)
    return { 204: { description: 'Success; the response has no body', ...replyHeaders(contract) } };
  const answer = { ...replyHeaders(contract), content: replyContent(contract, schema) };
  if (typeof contract.status === 'number')
    return { [contract.status]: { description: 'Done', ...answer }, ...notModified(contract) };
  return { 201: { description: 'Created', ...answer }, 200: { description: 'Updated or unchanged', ...answer } };
}

/** Operations under change control may have to be approved first. */
function held(contract: Contract, schema: (type: z.ZodType) => Json): Json {
  if (!controlRuleOf(contract)) return {};
  const description = 'Accepted but not applied: change control requires the approval of another person';
  return { 202: { description, content: { 'application/json': { schema: schema(ChangeRequest) } } } };
}

function notModified(contract: Contract): Json {
  if (!contract.conditional) return {};
  return {
    304: { description: 'Unchanged since the response with the `ETag` in `If-None-Match`', ...replyHeaders(contract) },
  };
}

function replyContent(contract: Contract, schema: (type: z.ZodType) => Json): Json {
  const type = contract.replyType ?? 'application/json';
  if (isFileContract(contract)) {
    const types = [contract.replyType, ...(contract.orAsFile ? [contract.orAsFile] : [])];
    return Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]));
  }
  return { [type]: { schema: schema(contract.reply) }, ...inLines(contract) };
}

/** A line has no schema of its own here: only OpenAPI 3.2 can describe streams. */
function inLines({ alsoAs }: Contract): Json {
  if (!alsoAs) return {};
  return { [alsoAs]: { schema: { type: 'string', description: 'JSON lines; the last one is the result' } } };
}

const CONDITIONAL_HEADERS = {
  etag: 'Changes whenever the response changes',
  'cache-control': '`private, no-cache`: cache the response for this caller, and revalidate it before use',
};

function replyHeaders({ replyHeaders, dryRun, conditional }: Contract): Json {
  const all = {
    ...replyHeaders,
    ...(conditional && CONDITIONAL_HEADERS),
    ...(dryRun && { 'waymark-dry-run': '`true` when nothing was recorded' }),
  };
  if (Object.keys(all).length === 0) return {};
  const described = Object.entries(all).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return { headers: Object.fromEntries(described) };
}

function failures(contract: Contract, schema: (type: z.ZodType) => Json): Json {
  return Object.fromEntries(
    errorsOf(contract).map((status) => [
      status,
      { description: meaningOf(contract, status), content: failure(contract, status, schema) },
    ]),
  );
}

function failure(contract: Contract, status: ErrorStatus, schema: (type: z.ZodType) => Json): Json {
  if (isScim(contract)) return { [SCIM_TYPE]: { schema: schema(ScimProblem) } };
  return { 'application/json': { schema: schema(status === 400 ? ValidationProblem : Problem) } };
}

const SCIM_TYPE = 'application/scim+json';

function isScim({ replyType }: Contract): boolean {
  return replyType === SCIM_TYPE;
}

function toComponents(type: z.ZodType, components: Json): Json {
  const {
    $schema: _,
    $defs,
    ...root
  } = z.toJSONSchema(type, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => describe(zodSchema, jsonSchema as Json, components),
  }) as Json;
  const moved = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('#/$defs/', '#/components/schemas/'));
  for (const [name, definition] of Object.entries(($defs as Json | undefined) ?? {}))
    components[name] ??= moved(definition);
  const id = type.meta()?.['id'];
  if (typeof id !== 'string') return moved(root) as Json;
  components[id] ??= moved(root);
  return { $ref: `#/components/schemas/${id}` };
}

/** A shape may be described by another one, which is more precise than a check field by field could be. */
function describe(type: z.core.$ZodTypes, json: Json, components: Json): void {
  const { describedAs } = z.globalRegistry.get(type) ?? {};
  if (describedAs instanceof z.ZodType) {
    for (const key of Object.keys(json)) if (key !== 'id') delete json[key];
    Object.assign(json, toComponents(describedAs, components));
  }
  if (typeof json['pattern'] === 'string') json['pattern'] = portablePattern(json['pattern']);
}

/**
 * Python and Rust read no `\\p{…}` and Rust no `\\0`. Lone surrogates cannot be named there at all: JSON from such a
 * program has none.
 */
function portablePattern(pattern: string): string {
  return pattern
    .replaceAll('\\p{Cc}', '\\x00-\\x1f\\x7f-\\x9f')
    .replaceAll('\\p{Cs}', '')
    .replace(/\\0(?!\d)/g, '\\x00');
}
