import { BinaryReply, contract, NoReply } from '@waymark/contract';
import { z } from 'zod';

/** Operations of no server: each has just what a test needs. */
const read = {
  summary: 'Read things',
  tag: 'Test',
  method: 'GET',
  path: '/things',
  access: 'read',
  status: 200,
  errors: [],
} as const;

export const getThing = contract({
  ...read,
  id: 'getThing',
  path: '/things/:name',
  params: z.strictObject({ name: z.string() }),
  query: z.strictObject({ tag: z.union([z.string(), z.array(z.string())]).optional() }),
  reply: z.object({ name: z.string() }),
});

const written = {
  summary: 'Write a thing',
  tag: 'Test',
  path: '/things',
  access: 'record_evidence',
  body: z.strictObject({ name: z.string() }),
  status: 201,
  reply: z.string(),
  errors: [],
} as const;

export const putThing = contract({ ...written, id: 'putThing', method: 'PUT' });
export const patchThing = contract({ ...written, id: 'patchThing', method: 'PATCH' });
export const addThing = contract({ ...written, id: 'addThing', method: 'POST' });
export const addPublicThing = contract({ ...written, id: 'addPublicThing', method: 'POST', access: 'public' });

export const attestThing = contract({
  ...written,
  id: 'attestThing',
  method: 'POST',
  headers: z.object({ 'waymark-evidence-id': z.string().optional() }),
  form: { json: 'data_json', file: { name: 'attachment_file', description: 'The evidence', store: true } },
});

export const deleteThing = contract({
  ...read,
  id: 'deleteThing',
  method: 'DELETE',
  access: 'record_evidence',
  status: 204,
  reply: NoReply,
});

export const downloadThing = contract({
  ...getThing,
  id: 'downloadThing',
  path: '/things/:name/file',
  reply: BinaryReply,
  replyType: 'text/csv',
});

const Thing = z.object({ name: z.string() });

/** A plain list with a link to the rest, or a page that links to others. */
export const listThings = contract({
  ...read,
  id: 'listThings',
  query: z.strictObject({
    page: z.coerce.number().optional(),
    after: z.string().optional(),
    tag: z.array(z.string()).optional(),
  }),
  reply: z.union([
    z.array(Thing),
    z.object({
      things: z.array(Thing),
      total: z.number(),
      _links: z.record(z.string(), z.object({ href: z.string() })),
    }),
  ]),
});

/** A plain list that says nothing about its pages. */
export const listPlainThings = contract({
  ...read,
  id: 'listPlainThings',
  query: z.strictObject({ page: z.coerce.number().optional(), per_page: z.coerce.number().optional() }),
  reply: z.array(Thing),
});

/** A page with the cursor of the next one, or with its number. */
export const listThingPages = contract({
  ...read,
  id: 'listThingPages',
  query: z.strictObject({ page: z.coerce.number().optional(), after: z.string().optional() }),
  reply: z.object({
    data: z.array(Thing),
    pagination: z.union([
      z.object({ next: z.string().nullable() }),
      z.object({ page: z.number(), page_count: z.number() }),
    ]),
  }),
});

export const listScimThings = contract({
  ...read,
  id: 'listScimThings',
  query: z.strictObject({ startIndex: z.coerce.number().optional() }),
  reply: z.object({
    schemas: z.array(z.string()),
    totalResults: z.number(),
    startIndex: z.number(),
    Resources: z.array(Thing),
  }),
});

export const streamThings = contract({
  ...read,
  id: 'streamThings',
  reply: z.object({ n: z.number() }),
  replyType: 'text/event-stream',
});
