import * as fc from 'fast-check';
import { valuesOf } from './json-schema-arbitrary.ts';
import type { Operation, World } from './operation.ts';

/** Every byte that may appear in a header, as Node passes it on. */
const headerBytes = fc
  .oneof(fc.constant(0x09), fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }))
  .map((code) => String.fromCharCode(code));

const oddValues = [
  '',
  ' ',
  ',',
  ';',
  '"',
  '*',
  '\xff',
  '0',
  '-1',
  'NaN',
  '1e400',
  '99999999999999999999',
  'x'.repeat(5000),
];

const headerValues = fc.oneof(fc.string({ unit: headerBytes, maxLength: 60 }), fc.constantFrom(...oddValues));

const HEADERS = [
  ...['authorization', 'idempotency-key', 'last-event-id', 'x-request-id', 'accept', 'accept-encoding', 'content-type'],
  ...['content-encoding', 'host', 'origin', 'cookie', 'range', 'if-none-match', 'traceparent', 'forwarded'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-http-method-override', 'prefer'],
];

type Headers = Record<string, string>;

export function validHeaders({ parameters, schemas }: Operation): fc.Arbitrary<Headers> {
  const declared = parameters.filter((parameter) => parameter.in === 'header');
  const values = declared.map(({ name, schema }) => [name, valuesOf(schema, schemas).map(headerText)] as const);
  const requiredKeys = declared.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(Object.fromEntries(values), { requiredKeys });
}

/** Those that the operation declares, and those that any server might read. */
export function hostileHeaders(operation: Operation): fc.Arbitrary<Headers> {
  const declared = operation.parameters.filter(({ in: place }) => place === 'header').map(({ name }) => name);
  const hostile = (names: readonly string[]) =>
    fc
      .array(fc.tuple(fc.constantFrom(...names), headerValues), { minLength: 1, maxLength: 4 })
      .map((headers) => Object.fromEntries(headers));
  const chosen = declared.length > 0 ? fc.oneof(hostile(declared), hostile(HEADERS)) : hostile(HEADERS);
  return fc.tuple(validHeaders(operation), chosen).map(([valid, wrong]) => ({ ...valid, ...wrong }));
}

/** The part of a text that may appear in a header; Node lets no client send anything else. */
export function headerText(value: unknown): string {
  return Buffer.from(String(value).toWellFormed())
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
    .slice(0, 5000);
}

/** Mostly the admin's, so that a request gets as far as it can. */
export function authorizations(world: World): fc.Arbitrary<string | undefined> {
  const { admin, reader, foreign } = world.keys;
  const odd = ['Bearer', 'Bearer ', 'Basic', 'Basic !!!', `Basic ${admin}`, `bearer  ${admin}`, `Bearer ${admin}x`];
  return fc.oneof(
    { weight: 16, arbitrary: fc.constant(`Bearer ${admin}`) },
    { weight: 1, arbitrary: fc.constantFrom(`Bearer ${reader}`, `Bearer ${foreign}`, undefined) },
    { weight: 1, arbitrary: fc.oneof(fc.constantFrom(...odd), headerValues) },
  );
}
