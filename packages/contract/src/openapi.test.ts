import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BinaryReply, contract, NoReply } from './contract.ts';
import { contracts } from './contracts.ts';
import { toOpenApi } from './openapi.ts';

const base = contract({
  id: 'example',
  summary: 'An example',
  tag: 'Test',
  method: 'POST',
  path: '/examples/:org',
  access: 'record_evidence',
  params: z.strictObject({ org: z.string() }),
  body: z.strictObject({ name: z.string() }),
  status: 201,
  reply: z.string(),
  errors: [400],
});

function describedAs(more: object) {
  const document = toOpenApi([{ ...base, ...more }], { version: '1', serverUrl: '/' });
  return (document['paths'] as Record<string, { post: Record<string, unknown> }>)['/examples/{org}']?.post;
}

it('names the headers that are read', () => {
  const headers = z.object({
    'x-digest': z.string().max(10).meta({ description: 'Of the file' }),
    'x-note': z.string().optional(),
  });
  expect(describedAs({ headers })?.['parameters']).toEqual([
    { name: 'org', in: 'path', required: true, schema: { type: 'string' } },
    {
      ...{ name: 'x-digest', in: 'header', required: true, description: 'Of the file' },
      schema: { type: 'string', maxLength: 10 },
    },
    { name: 'x-note', in: 'header', required: false, schema: { type: 'string' } },
  ]);
});

it('marks deprecated operations, and no others', () => {
  expect(describedAs({ deprecated: true })).toMatchObject({ deprecated: true });
  expect(describedAs({})).not.toHaveProperty('deprecated');
});

it('marks beta operations, with their header', () => {
  expect(describedAs({ beta: 'controls' })).toMatchObject({
    'x-beta': 'controls',
    parameters: [{ name: 'org' }, { name: 'Waymark-Beta', in: 'header', required: false }],
  });
  expect(describedAs({})).not.toHaveProperty('x-beta');
});

it('marks operations that support dry runs', () => {
  const tried = describedAs({ dryRun: true });
  expect(tried?.['parameters']).toMatchObject([
    { name: 'org' },
    { name: 'dry_run', in: 'query', required: false, schema: { type: 'boolean' } },
  ]);
  expect(tried?.['responses']).toMatchObject({ 201: { headers: { 'waymark-dry-run': {} } } });
  expect(describedAs({})?.['parameters']).toEqual([expect.objectContaining({ name: 'org' })]);
});

it('describes headers of the answer', () => {
  const content = { 'application/json': { schema: { type: 'string' } } };
  expect(describedAs({ replyHeaders: { Link: 'Leads on' } })?.['responses']).toMatchObject({
    201: {
      description: 'Done',
      headers: { Link: { description: 'Leads on', schema: { type: 'string' } } },
      content,
    },
  });
  expect(describedAs({})?.['responses']).toMatchObject({ 201: { description: 'Done', content } });
});

it('names the alternative type of a response', () => {
  expect(describedAs({ alsoAs: 'application/x-ndjson' })?.['responses']).toMatchObject({
    201: {
      content: {
        'application/json': { schema: { type: 'string' } },
        'application/x-ndjson': {
          schema: { type: 'string', description: 'JSON lines; the last one is the result' },
        },
      },
    },
  });
});

it('names both types of a file', () => {
  const replies = { replyType: 'text/html', orAsFile: 'application/pdf' } as const;
  expect(describedAs({ reply: BinaryReply, ...replies })?.['responses']).toMatchObject({
    201: {
      content: {
        'text/html': { schema: { type: 'string', contentMediaType: 'text/html' } },
        'application/pdf': { schema: { type: 'string', contentMediaType: 'application/pdf' } },
      },
    },
  });
});

it('describes a file as bytes of its type', () => {
  expect(describedAs({ reply: BinaryReply, replyType: 'application/octet-stream' })?.['responses']).toMatchObject({
    201: {
      content: {
        'application/octet-stream': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } },
      },
    },
  });
});

it('describes a response without a body, and SCIM in its own types', () => {
  const scim = describedAs({ status: 204, reply: NoReply, replyType: 'application/scim+json', access: 'scim' });
  expect(scim?.['responses']).toMatchObject({
    204: { description: 'Success; the response has no body' },
    400: {
      description: 'The request is not valid',
      content: { 'application/scim+json': { schema: { $ref: '#/components/schemas/ScimProblem' } } },
    },
  });
  expect(scim).toHaveProperty(['requestBody', 'content'], { 'application/scim+json': expect.anything() });
});

it('marks required bodies', () => {
  expect(describedAs({})).toHaveProperty(['requestBody', 'required'], true);
  const optional = describedAs({ body: base.body.optional() });
  expect(optional).toHaveProperty(['requestBody', 'required'], false);
  expect(optional).toHaveProperty(['requestBody', 'content', 'application/json', 'schema', 'type'], 'object');
});

it('lists the statuses of every request', () => {
  const statuses = (more: object) => Object.keys(describedAs(more)?.['responses'] as object);
  expect(statuses({ errors: [404] })).toEqual(['201', '400', '404', '408', '413', '431', '500']);
  const { paths } = toOpenApi([{ ...base, method: 'GET', errors: [429] }], { version: '1', serverUrl: '/' });
  const { get } = (paths as Record<string, { get: { responses: object } }>)['/examples/{org}'] ?? {};
  expect(Object.keys(get?.responses ?? {})).toEqual(['201', '400', '408', '429', '431', '500']);
});

describe('a pattern', () => {
  /** What ECMAScript, Python and Rust read alike: no Unicode classes, no groups with a question mark but `(?:`. */
  const PORTABLE = /^(?:[^\\(]|\((?:\?:|(?!\?))|\\(?:[dswDSW]|x[0-9a-f]{2}|u[0-9a-f]{4}|[^a-zA-Z0-9]))*$/;

  function patternsIn(value: unknown): string[] {
    if (typeof value !== 'object' || value === null) return [];
    const own = 'pattern' in value && typeof value.pattern === 'string' ? [value.pattern] : [];
    return [...own, ...Object.values(value).flatMap(patternsIn)];
  }

  it('can be read by other languages', () => {
    const patterns = [...new Set(patternsIn(toOpenApi(contracts, { version: '1', serverUrl: '/' })))];
    expect(patterns.filter((pattern) => !PORTABLE.test(pattern))).toEqual([]);
    expect(patterns.length).toBeGreaterThan(20);
  });

  it.each(['^\\p{L}$', '^[^\\0]$', '(?<=a)b', '(?<name>a)', '\\u{41}', '\\bword'])(
    '%s would be detected',
    (pattern) => {
      expect(PORTABLE.test(pattern)).toBe(false);
    },
  );

  it('with control characters is written out', () => {
    const body = z.strictObject({ a: z.string().regex(/^[^\p{Cc}\p{Cs}]*$/u), b: z.string().regex(/^[^=\0]+$/) });
    const { requestBody } = describedAs({ body }) as { requestBody: object };
    expect(patternsIn(requestBody)).toEqual(['^[^\\x00-\\x1f\\x7f-\\x9f]*$', '^[^=\\x00]+$']);
  });
});

it('may describe a checked shape by a more detailed one', () => {
  const one = z.strictObject({ a: z.string() }).meta({ id: 'One' });
  const other = z.strictObject({ b: z.string() }).meta({ id: 'Other' });
  const flat = z.strictObject({ a: z.string().optional() }).meta({ id: 'Flat', describedAs: z.xor([one, other]) });
  const document = toOpenApi([{ ...base, body: z.strictObject({ list: z.array(flat) }) }], {
    version: '1',
    serverUrl: '/',
  });
  expect((document['components'] as { schemas: object }).schemas).toMatchObject({
    Flat: { oneOf: [{ $ref: '#/components/schemas/One' }, { $ref: '#/components/schemas/Other' }] },
    One: { required: ['a'] },
    Other: { required: ['b'] },
  });
});

describe('the description matches the validation', () => {
  const { schemas } = toOpenApi(contracts, { version: '1', serverUrl: '/' })['components'] as {
    schemas: Record<string, { properties: Record<string, unknown>; required: string[] }>;
  };

  it.each([
    ['CreateArtifact', 'filename'],
    ['OverrideAttestation', 'reason'],
    ['TrustedIdentityInput', 'subject'],
    ['RepoInfo', 'name'],
    ['WaiverInput', 'artifact_name'],
    ['WaiverInput', 'description'],
    ['EnvironmentNotificationInput', 'name'],
    ['ControlPostInput', 'name'],
  ])('%s.%s must not be empty', (schema, property) => {
    expect(schemas[schema]?.properties[property]).toMatchObject({ minLength: 1 });
  });

  it('and what has a default or a type', () => {
    expect(schemas['FlowInput']?.properties['visibility']).toMatchObject({ default: 'private' });
    expect(schemas['InTotoAttestation']?.required).toContain('artifact_fingerprint');
    expect(schemas['CreateArtifact']?.properties['user_data']).toMatchObject({
      anyOf: [{ type: ['object', 'array'] }, { type: 'null' }],
    });
    expect(schemas).toHaveProperty('CreateEnvironmentPutInput');
  });

  it('and the kinds of targets', () => {
    expect(schemas['NotificationTargetInput']).toMatchObject({
      oneOf: ['Chat', 'Webhook', 'Email'].map((kind) => ({ $ref: `#/components/schemas/${kind}TargetInput` })),
      discriminator: { propertyName: 'type' },
    });
    expect(schemas['WebhookTargetInput']).toMatchObject({
      required: ['webhook'],
      properties: { type: { default: 'WEBHOOK' }, payload_version: { const: '1.0', default: '1.0' } },
      additionalProperties: false,
    });
  });
});
