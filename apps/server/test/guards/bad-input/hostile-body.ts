import * as fc from 'fast-check';
import { hostileTexts, hostileValues, mutated, toJsonText } from './hostile-value.ts';

export interface Body {
  readonly type: string | undefined;
  readonly content: Buffer;
}

const JSON_TYPES = ['application/json', 'application/json; charset=utf-8'];

const oddTypes = [
  ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16'],
  ...[
    'application/jsonx',
    'APPLICATION/JSON',
    'application/json;',
    'application/json; charset',
    '/',
    'json',
    '',
    ';',
    '\xff',
  ],
  ...[
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/mixed; boundary=x',
    'multipart/form-data; boundary=""',
  ],
];

const NO_TEXT = [
  ...[
    '',
    ' ',
    '\n',
    '{',
    '[',
    '"',
    '{}{}',
    '{"a":}',
    '[1,]',
    '{"a":1,}',
    "{'a':1}",
    'nul',
    'nullnull',
    '\ufeff{}',
    '\u0000',
  ],
  ...['{"a"', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}', '"\\ud800"', '-', '1e400', '[[['],
];

export function validBodies(values: fc.Arbitrary<unknown>): fc.Arbitrary<Body> {
  return fc.record({ type: fc.constantFrom(...JSON_TYPES), content: values.map((value) => bytes(toJsonText(value))) });
}

export function hostileBodies(values: fc.Arbitrary<unknown>): fc.Arbitrary<Body> {
  const valid = values.map((value) => bytes(toJsonText(value)));
  const content = fc.oneof(
    { weight: 8, arbitrary: mutated(values).map((value) => bytes(toJsonText(value))) },
    { weight: 2, arbitrary: hostileValues.map((value) => bytes(toJsonText(value))) },
    { weight: 2, arbitrary: fc.oneof(fc.constantFrom(...NO_TEXT), hostileTexts).map(bytes) },
    { weight: 2, arbitrary: valid.chain(brokenBytes) },
    { weight: 1, arbitrary: valid.map((content) => Buffer.from(content.toString(), 'utf16le')) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((content) => Buffer.from(content)) },
  );
  const type = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...JSON_TYPES) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, ...oddTypes) },
  );
  return fc.record({ type, content });
}

/** Truncated somewhere, or with bytes that are not UTF-8. */
export function brokenBytes(content: Buffer): fc.Arbitrary<Buffer> {
  const badUtf8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]];
  const inserted = fc.constantFrom([], ...badUtf8).map((bad) => Buffer.from(bad));
  return fc.tuple(fc.nat(content.length), fc.boolean(), inserted).map(([at, isCut, bad]) => {
    const rest = isCut ? [] : [content.subarray(at)];
    return Buffer.concat([content.subarray(0, at), bad, ...rest]);
  });
}

/** Half of a surrogate pair has no bytes; it arrives as U+FFFD, as from any real client. */
function bytes(text: string): Buffer {
  return Buffer.from(text);
}
