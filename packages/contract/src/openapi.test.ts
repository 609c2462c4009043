import { expect, it } from 'vitest';
import { z } from 'zod';
import { BinaryReply, contract, NoReply } from './contract.ts';
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

it('says what is deprecated, and nothing of what is not', () => {
  expect(describedAs({ deprecated: true })).toMatchObject({ deprecated: true });
  expect(describedAs({})).not.toHaveProperty('deprecated');
});

it('says what is beta, and by which header it is asked for', () => {
  expect(describedAs({ beta: 'controls' })).toMatchObject({
    'x-beta': 'controls',
    parameters: [{ name: 'org' }, { name: 'Waymark-Beta', in: 'header', required: false }],
  });
  expect(describedAs({})).not.toHaveProperty('x-beta');
});

it('says what can be tried, and how', () => {
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

it('names the other type in which the answer can be had', () => {
  expect(describedAs({ alsoAs: 'application/x-ndjson' })?.['responses']).toMatchObject({
    201: {
      content: {
        'application/json': { schema: { type: 'string' } },
        'application/x-ndjson': {
          schema: { type: 'string', description: 'Lines of JSON; the last one is the answer' },
        },
      },
    },
  });
});

it('names both types of a file that can be had as either', () => {
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

it('describes an answer without a body, and SCIM in its own types', () => {
  const scim = describedAs({ status: 204, reply: NoReply, replyType: 'application/scim+json', access: 'scim' });
  expect(scim?.['responses']).toEqual({
    204: { description: 'Done; the answer has no body' },
    400: {
      description: 'The request is not valid',
      content: { 'application/scim+json': { schema: { $ref: '#/components/schemas/ScimProblem' } } },
    },
  });
  expect(scim).toHaveProperty(['requestBody', 'content'], { 'application/scim+json': expect.anything() });
});

it('says whether a body has to be sent', () => {
  expect(describedAs({})).toHaveProperty(['requestBody', 'required'], true);
  const optional = describedAs({ body: base.body.optional() });
  expect(optional).toHaveProperty(['requestBody', 'required'], false);
  expect(optional).toHaveProperty(['requestBody', 'content', 'application/json', 'schema', 'type'], 'object');
});
