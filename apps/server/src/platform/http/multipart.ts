import type { MultipartFile } from '@fastify/multipart';
import type { Form, UploadedFile } from '@waymark/contract';
import type { FastifyRequest } from 'fastify';
import { invalid, invalidField, Problem, tooLarge } from '../errors.ts';
import { isDeeperThan } from './json-body.ts';

const JSON_PART_MAX_BYTES = 1024 * 1024;

interface SentForm {
  readonly body: unknown;
  readonly file: UploadedFile | undefined;
}

/** Reads a form of one JSON part and at most one file. A part that the contract does not name is refused. */
export async function readForm(request: FastifyRequest, form: Form): Promise<SentForm> {
  try {
    return await readParts(request, form);
  } catch (error) {
    throw toFormProblem(error as FormError, form);
  }
}

type FormError = Error & { readonly code?: string };

/** Reading touches nothing but what was sent, so whatever goes wrong is for the sender to mend. */
function toFormProblem(error: FormError, form: Form): Problem {
  if (error instanceof Problem) return error;
  if (error.code === 'FST_INVALID_JSON_FIELD_ERROR') return invalidField(form.json, 'is not valid JSON');
  if (error.code === 'FST_FIELDS_LIMIT' || error.code === 'FST_FILES_LIMIT') {
    return tooLarge('The form has too many parts');
  }
  return invalid(`The form cannot be read: ${error.message}`);
}

async function readParts(request: FastifyRequest, form: Form): Promise<SentForm> {
  let body: unknown;
  let file: UploadedFile | undefined;
  // For a form without a content length the limits of its parts have to do.
  if (Number(request.headers['content-length']) > request.routeOptions.bodyLimit)
    throw tooLarge('The body is too large');
  // Parts are not limited as such: a form that is cut off behind that limit ends the process (@fastify/busboy 3.2.5).
  const limits = {
    parts: Number.POSITIVE_INFINITY,
    fields: 2,
    files: 2,
    fieldSize: JSON_PART_MAX_BYTES,
    fileSize: form.file.maxBytes,
  };
  for await (const part of request.parts({ limits })) {
    if (part.type === 'file' && part.fieldname === form.file.name) {
      if (file) throw invalidField(form.file.name, 'is sent twice');
      file = await readFile(part, form.file.maxBytes);
    } else if (part.fieldname === form.json) {
      if (body !== undefined) throw invalidField(form.json, 'is sent twice');
      body = parseJsonPart(form.json, await readText(part, form.file.maxBytes));
    } else {
      throw invalidField(part.fieldname, `is not a part of this form: send ${form.json} and ${form.file.name}`);
    }
  }
  if (body === undefined) throw invalidField(form.json, 'is required');
  return { body, file };
}

async function readFile(part: MultipartFile, maxBytes: number): Promise<UploadedFile> {
  const content = await part.toBuffer().catch((error: { code?: string }) => {
    if (error.code === 'FST_REQ_FILE_TOO_LARGE') throw tooLarge(`${part.fieldname} is larger than ${maxBytes} bytes`);
    throw error;
  });
  return { filename: part.filename, content };
}

/** Some clients send the JSON as a field, others as a file part. */
async function readText(
  part: MultipartFile | { value: unknown; valueTruncated?: boolean },
  fileMaxBytes: number,
): Promise<string> {
  if ('toBuffer' in part) return (await readFile(part, fileMaxBytes)).content.toString();
  if (part.valueTruncated) throw tooLarge('The JSON part is larger than 1 MiB');
  return typeof part.value === 'string' ? part.value : JSON.stringify(part.value);
}

function parseJsonPart(name: string, text: string): unknown {
  if (isDeeperThan(text, 32))
    throw invalid('The body is nested deeper than 32 levels', { [name]: 'is nested too deep' });
  try {
    return JSON.parse(text, (key, value) => {
      if (key === '__proto__') throw new SyntaxError('the key __proto__ is not allowed');
      return value;
    });
  } catch (error) {
    throw invalidField(name, `is not valid JSON: ${(error as Error).message}`);
  }
}
