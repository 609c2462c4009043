import * as fc from 'fast-check';
import { type Body, brokenBytes } from './hostile-body.ts';
import { hostileTexts, hostileValues, mutated, toJsonText } from './hostile-value.ts';

/** A multipart form with the parts of the contract, and values for its JSON part. */
export interface FormShape {
  readonly json: string;
  readonly file: string;
  readonly values: fc.Arbitrary<unknown>;
}

interface Part {
  readonly headers: readonly string[];
  readonly content: Buffer;
}

const BOUNDARY = 'waymark-test-boundary';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

export function validForms(form: FormShape): fc.Arbitrary<Body> {
  const file = fc.option(filePart(form, fc.constant(Buffer.from('version: 1\n'))), { nil: undefined });
  return fc
    .tuple(jsonPart(form, form.values), file)
    .map(([json, file]) => ({ type: TYPE, content: encoded(file ? [json, file] : [json]) }));
}

export function hostileForms(form: FormShape): fc.Arbitrary<Body> {
  const parts = fc.array(hostileParts(form), { maxLength: 4 });
  const crowd = fc.tuple(hostileParts(form), fc.constantFrom(5, 200)).map(([part, count]) => Array(count).fill(part));
  const whole = fc.oneof({ weight: 9, arbitrary: parts }, { weight: 1, arbitrary: crowd }).map(encoded);
  const content = fc.oneof(
    { weight: 6, arbitrary: whole },
    { weight: 2, arbitrary: whole.chain(brokenBytes) },
    {
      weight: 2,
      arbitrary: fc.tuple(whole, fc.constantFrom(...distortions)).map(([bytes, distort]) => distort(bytes)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  );
  const type = fc.oneof(
    { weight: 9, arbitrary: fc.constant(TYPE) },
    { weight: 1, arbitrary: fc.constantFrom(...oddTypes) },
  );
  return fc.record({ type, content });
}

const oddTypes = [
  ...['multipart/form-data', 'multipart/form-data; boundary=', `multipart/form-data; boundary="${BOUNDARY}`],
  ...[`multipart/form-data; boundary=other`, `multipart/form-data; boundary=${'b'.repeat(3000)}`],
  ...[`multipart/mixed; boundary=${BOUNDARY}`, `multipart/form-data; boundary*=utf-8''${BOUNDARY}`],
  ...[`multipart/form-data; boundary=${BOUNDARY}; boundary=other`, 'multipart/form-data; boundary=\xff', 'multipart/'],
];

const distortions: readonly ((bytes: Buffer) => Buffer)[] = [
  (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
  (bytes) => Buffer.from(bytes.toString('latin1').replace(`--${BOUNDARY}--`, ''), 'latin1'),
  (bytes) => Buffer.from(bytes.toString('latin1').replace(`--${BOUNDARY}`, `-${BOUNDARY}`), 'latin1'),
  (bytes) => Buffer.from(bytes.toString('latin1').replace('\r\n\r\n', '\r\n'), 'latin1'),
  (bytes) => Buffer.concat([Buffer.from('a preamble\r\n'), bytes, Buffer.from('an epilogue')]),
  (bytes) => Buffer.concat([bytes, bytes]),
  (bytes) => Buffer.concat([Buffer.alloc(100_000, 'x'), bytes]),
  (bytes) => Buffer.concat([bytes, Buffer.alloc(100_000, 'x')]),
  (bytes) => Buffer.concat([bytes, Buffer.from(`\r\n--${BOUNDARY}\r\nX: `), Buffer.alloc(100_000, 'x')]),
];

function hostileParts(form: FormShape): fc.Arbitrary<Part> {
  const hostileJson = fc.oneof(mutated(form.values), hostileValues);
  const fileContent = fc.oneof(
    { weight: 4, arbitrary: hostileTexts.map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constantFrom(64 * 1024 + 1, 1024 * 1024 + 1).map((size) => Buffer.alloc(size, 'x')) },
  );
  return fc.oneof(
    { weight: 4, arbitrary: jsonPart(form, form.values) },
    { weight: 4, arbitrary: jsonPart(form, hostileJson) },
    { weight: 3, arbitrary: filePart(form, fileContent) },
    { weight: 2, arbitrary: oddPart(form, fileContent) },
  );
}

function jsonPart(form: FormShape, values: fc.Arbitrary<unknown>): fc.Arbitrary<Part> {
  const disposition = `Content-Disposition: form-data; name="${form.json}"`;
  return values.map((value) => ({ headers: [disposition], content: Buffer.from(toJsonText(value)) }));
}

function filePart(form: FormShape, contents: fc.Arbitrary<Buffer>): fc.Arbitrary<Part> {
  const disposition = `Content-Disposition: form-data; name="${form.file}"; filename="template.yml"`;
  const headers = [disposition, 'Content-Type: application/octet-stream'];
  return contents.map((content) => ({ headers, content }));
}

/** A part whose headers are wrong, or right for another part. */
function oddPart(form: FormShape, contents: fc.Arbitrary<Buffer>): fc.Arbitrary<Part> {
  const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;
  const headers = fc.constantFrom(
    [],
    [named('')],
    [named('other')],
    [named('__proto__')],
    [`${named('constructor')}; filename="x"`],
    [named('x'.repeat(2000))],
    [`${named(form.json)}; filename="data.json"`, 'Content-Type: application/json'],
    [`${named(form.json)}; filename="data.json"`, 'Content-Type: application/octet-stream'],
    [named(form.json), 'Content-Type: application/json'],
    [named(form.json), 'Content-Type: multipart/mixed; boundary=inner'],
    [named(form.json), 'Content-Type: text/plain; charset=utf-16'],
    [named(form.json), 'Content-Transfer-Encoding: base64'],
    [named(form.file)],
    [`${named(form.file)}; filename=""`],
    [`${named(form.file)}; filename="../../etc/passwd"`],
    [`${named(form.file)}; filename="..\\..\\etc\\passwd"`],
    [`${named(form.file)}; filename=".."`],
    [`${named(form.file)}; filename="a\u0000b"`],
    [`${named(form.file)}; filename="${'x'.repeat(300)}"`],
    [`${named(form.file)}; filename="a"; filename="b"`],
    [`${named(form.file)}; filename="a`],
    [`${named(form.file)}; filename*=utf-8''%00%zz`],
    [named(form.file), named(form.json)],
    ['Content-Disposition: form-data'],
    ['Content-Disposition: attachment; name="x"'],
    ['Content-Disposition'],
    [`X: ${'x'.repeat(20_000)}`, named(form.json)],
    ['\xff\u0000: \xff', named(form.json)],
  );
  return fc.record({ headers, content: contents });
}

function encoded(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => [
    Buffer.from(`--${BOUNDARY}\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1'),
    content,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}
