import type { Form, UploadedFile } from '@waymark/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid, invalidField, tooLarge } from '../errors.ts';
import { isDeeperThan, MAX_DEPTH } from './json-body.ts';

const JSON_PART_MAX_BYTES = 1024 * 1024;

/** Forms are small and read whole; the body limit of the operation holds for them as for JSON. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

export function isForm(request: FastifyRequest): boolean {
  return Buffer.isBuffer(request.body);
}

/** Reads a form of one JSON part and at most one file. A part that the contract does not name is refused. */
export async function readForm(
  request: FastifyRequest,
  form: Form,
): Promise<{ body: unknown; file: UploadedFile | undefined }> {
  let body: unknown;
  let file: UploadedFile | undefined;
  for (const [name, value] of await parseForm(request)) {
    if (name === form.file.name && typeof value !== 'string') {
      if (file) throw invalidField(name, 'is sent twice');
      file = await readFile(name, value, form.file.maxBytes);
    } else if (name === form.json) {
      if (body !== undefined) throw invalidField(name, 'is sent twice');
      body = parseJsonPart(name, await readText(value));
    } else {
      throw invalidField(name, `is not a part of this form: send ${form.json} and ${form.file.name}`);
    }
  }
  if (body === undefined) throw invalidField(form.json, 'is required');
  return { body, file };
}

/** Node's own parser: on broken forms, @fastify/multipart 10.1.7 waits for ever or ends the process (2026-11). */
async function parseForm(request: FastifyRequest): Promise<FormData> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  try {
    return await new Response(request.body as Buffer, { headers }).formData();
  } catch {
    throw invalid('The form cannot be read: its boundary or one of its parts is broken');
  }
}

async function readFile(name: string, file: File, maxBytes: number): Promise<UploadedFile> {
  if (file.size > maxBytes) throw tooLarge(`${name} is larger than ${maxBytes} bytes`);
  return { filename: file.name, content: await file.bytes() };
}

/** Some clients send the JSON as a field, others as a file part. */
async function readText(value: string | File): Promise<string> {
  const text = typeof value === 'string' ? value : await value.text();
  if (text.length > JSON_PART_MAX_BYTES) throw tooLarge('The JSON part is larger than 1 MiB');
  return text;
}

function parseJsonPart(name: string, text: string): unknown {
  if (isDeeperThan(text, MAX_DEPTH)) {
    throw invalid(`The body is nested deeper than ${MAX_DEPTH} levels`, { [name]: 'is nested too deep' });
  }
  try {
    return JSON.parse(text, (key, value) => {
      if (key === '__proto__') throw new SyntaxError('the key __proto__ is not allowed');
      return value;
    });
  } catch (error) {
    throw invalidField(name, `is not valid JSON: ${(error as Error).message}`);
  }
}
