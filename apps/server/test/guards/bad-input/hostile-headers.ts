import * as fc from 'fast-check';
import type { World } from './operation.ts';

/** Every byte that may stand in a header, as Node hands it over. */
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

export const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc
  .array(fc.tuple(fc.constantFrom(...HEADERS), headerValues), { minLength: 1, maxLength: 4 })
  .map((headers) => Object.fromEntries(headers));

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
