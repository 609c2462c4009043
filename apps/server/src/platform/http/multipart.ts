import { Readable } from 'node:stream';
import type { Form, StoredFile, UploadedFile } from '@waymark/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalid, invalidField, tooLarge } from '../errors.ts';
import type { BodyBudget } from './body-budget.ts';
import { type BodyChunks, readChunks } from './body-intake.ts';
import { fileNameFault } from './file-name.ts';
import { atMost, brokenForm, collect, type FormPart, formParts } from './form-parts.ts';
import { isDeeperThan, MAX_DEPTH } from './json-body.ts';
import { boundaryOf } from './part-headers.ts';
import { textOf } from './text-file.ts';

export const JSON_PART_MAX_BYTES = 1024 * 1024;
const DISCARD_MAX_BYTES = 16 * 1024 * 1024;

export interface SentForm {
  readonly body: unknown;
  readonly file: UploadedFile | StoredFile | undefined;
}

/** Receives the parts as they arrive. */
export interface FormIntake {
  /** Throws when the body is invalid; a file after it is then not read. */
  checkBody(sent: unknown): unknown;
  keepFile(
    filename: string,
    content: AsyncIterable<Buffer>,
    hold: BodyChunks['hold'],
  ): Promise<UploadedFile | StoredFile>;
  readonly fileMaxBytes: number;
}

/** Forms are handed over unread; `readForm` reads them. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload));
}

export function isForm(request: FastifyRequest): boolean {
  return request.body instanceof Readable;
}

export async function bufferFile(
  filename: string,
  content: AsyncIterable<Buffer>,
  hold: BodyChunks['hold'],
): Promise<UploadedFile> {
  return { filename, content: await collect(content, hold) };
}

/** Reads a form of one JSON part and at most one file, in either order, while it arrives. */
export async function readForm(
  bodies: BodyBudget,
  request: FastifyRequest,
  reply: FastifyReply,
  form: Form,
  intake: FormIntake,
): Promise<SentForm> {
  const chunks = readChunks(bodies, request);
  try {
    return await readParts(chunks, request.headers['content-type'] ?? '', form, intake);
  } catch (error) {
    chunks.drop();
    // The next request on this connection begins where this one ends.
    if (!(await isDiscarded(chunks))) reply.header('connection', 'close');
    throw error;
  }
}

async function readParts(chunks: BodyChunks, contentType: string, form: Form, intake: FormIntake): Promise<SentForm> {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) throw brokenForm();
  const seen = new Set<string>();
  let body: unknown;
  let file: SentForm['file'];
  for await (const part of formParts(chunks, boundary)) {
    if (seen.has(part.name)) throw invalidField(part.name, 'was sent twice');
    seen.add(part.name);
    if (part.name === form.json) body = intake.checkBody(await readJson(part, chunks.hold));
    else if (part.name === form.file.name) file = await readFile(part, intake, chunks.hold);
    else throw invalidField(part.name, `is not a part of this form: send ${form.json} and ${form.file.name}`);
  }
  if (!seen.has(form.json)) throw invalidField(form.json, 'is required');
  return { body, file };
}

async function readFile(
  { name, filename, content }: FormPart,
  intake: FormIntake,
  hold: BodyChunks['hold'],
): Promise<UploadedFile | StoredFile> {
  const fault = fileNameFault(filename ?? '');
  if (fault !== undefined) throw invalidField(name, fault);
  const { fileMaxBytes } = intake;
  const limited = atMost(content, fileMaxBytes, () => tooLarge(`${name} is larger than ${fileMaxBytes} bytes`));
  return intake.keepFile(filename ?? '', limited, hold);
}

/** Some clients send the JSON as a field, others as a file part. */
async function readJson({ name, content }: FormPart, hold: BodyChunks['hold']): Promise<unknown> {
  const limited = atMost(content, JSON_PART_MAX_BYTES, () => tooLarge('The JSON part is larger than 1 MiB'));
  return parseJsonPart(name, textOf(name, { content: await collect(limited, hold) }));
}

function parseJsonPart(name: string, text: string): unknown {
  if (isDeeperThan(text, MAX_DEPTH)) {
    throw invalid(`The body is nested more than ${MAX_DEPTH} levels deep`, { [name]: 'is nested too deeply' });
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

/** Keeps reading for a while, so that a client that is still sending sees the response. */
async function isDiscarded(chunks: AsyncIterator<Buffer>): Promise<boolean> {
  try {
    for (let size = 0; size <= DISCARD_MAX_BYTES; ) {
      const { done, value } = await chunks.next();
      if (done) return true;
      size += value.length;
    }
  } catch {
    // The client is gone.
  }
  return false;
}
