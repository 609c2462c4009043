import * as fc from 'fast-check';

/** A piece of JSON text that no JavaScript value represents, or that is not JSON at all. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function toJsonText(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${toJsonText(member)}`);
  return `{${members.join(',')}}`;
}

const PROTOTYPE_KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];

const oddTexts = [
  ...PROTOTYPE_KEYS,
  ...['', ' ', '\u202e', '\ufeff', '\r\nx: y', '💩', 'é', 'ﬁ', 'null'],
  ...['-1', '0', '1e400', 'NaN', 'Infinity', '0x10', '99999999999999999999', '1.5', 'true', '[]', '{}', 'a,,b', ','],
  ...[
    '../../etc/passwd',
    "'; drop table flow; --",
    '%',
    '%00',
    '%s%n',
    '${7*7}',
    '*',
    '\\',
    '"',
    '<script>',
    ':',
    'a:',
  ],
  ...['version: 1\ntrail: [', '&a [*a]', '!!js/function', '\t', '- '.repeat(2000), '['.repeat(5000)],
];

/** Values that databases, canonical JSON and many parsers cannot represent. */
export const unstorableTexts = ['\u0000', 'a\u0000b', 'a:\u0000', '\ud800', 'x\udc00y'];

export const hostileTexts: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...unstorableTexts) },
  { weight: 6, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 50 }) },
  { weight: 1, arbitrary: fc.constantFrom(65, 256, 1025, 70_000).map((length) => 'x'.repeat(length)) },
);

/** Cursors as the server writes them, with a sort value that it never wrote. */
export const forgedCursors: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(fc.constantFrom('-200000-01-01T00:00:00Z', '1e400', 'NaN', 1, null), hostileTexts),
    fc.oneof(fc.constant('x'), hostileTexts),
  )
  .map((parts) => Buffer.from(JSON.stringify(parts)).toString('base64url'));

/** More than any body may hold. */
const hugeTexts = fc.constantFrom('x', '\u0000', '💩').map((unit) => unit.repeat(1_200_000));

const oddNumbers = ['1e400', '-1e400', '1e-400', '-0', '99999999999999999999999999', '9007199254740993', '1.5', '-1'];
const noJson = [
  'NaN',
  'Infinity',
  'undefined',
  "'x'",
  '0x10',
  '01',
  '+1',
  '.5',
  '/**/1',
  '"\u0001"',
  '"\\x41"',
  '"\\u12',
];

function nested(open: string, close: string): fc.Arbitrary<Raw> {
  return fc.integer({ min: 30, max: 1000 }).map((depth) => new Raw(open.repeat(depth) + close.repeat(depth)));
}

export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: hostileTexts },
  { weight: 4, arbitrary: fc.constantFrom(...oddNumbers, ...noJson).map((text) => new Raw(text)) },
  { weight: 4, arbitrary: fc.constantFrom<unknown>(null, true, false, 0, [], {}, [[]], [null], [{}]) },
  { weight: 2, arbitrary: fc.oneof(nested('[', ']'), nested('{"a":[', ']}')) },
  { weight: 2, arbitrary: fc.constantFrom(...PROTOTYPE_KEYS).map((key) => ({ [key]: { [key]: true } })) },
  { weight: 1, arbitrary: fc.constantFrom(1001, 5000).map((length) => Array(length).fill('a')) },
  { weight: 1, arbitrary: fc.constant(new Raw('{"a":1,"a":2}')) },
  { weight: 1, arbitrary: hugeTexts },
);

const REMOVED = Symbol('removed');

type Change = (value: unknown) => unknown;

const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: hostileValues.map((value) => () => value) },
  { weight: 2, arbitrary: fc.constant<Change>(() => REMOVED) },
  { weight: 1, arbitrary: fc.constantFrom<Change>(wrapInList, repeat, wrapInObject) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.oneof(hostileTexts, fc.string()), hostileValues).map(
      ([key, value]) =>
        (old: unknown) =>
          isObject(old) ? { ...old, [key]: value } : value,
    ),
  },
);

function wrapInList(value: unknown): unknown {
  return [value];
}

function repeat(value: unknown): unknown {
  return [value, value];
}

function wrapInObject(value: unknown): unknown {
  return { value };
}

/** Values like the given ones, changed in one to three places. */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const edits = fc.array(fc.tuple(fc.nat(), changes), { minLength: 1, maxLength: 3 });
  return fc.tuple(values, edits).map(([value, edits]) => {
    const result = edits.reduce((current, [place, change]) => changeOne(current, place, change), value);
    return result === REMOVED ? null : result;
  });
}

function changeOne(value: unknown, place: number, change: Change): unknown {
  const paths = pathsIn(value);
  return changeAt(value, paths[place % paths.length] ?? [], change);
}

type Path = readonly string[];

function pathsIn(value: unknown): Path[] {
  const below = isObject(value) ? Object.entries(value) : [];
  return [[], ...below.flatMap(([key, member]) => pathsIn(member).map((path) => [key, ...path]))];
}

function changeAt(value: unknown, [key, ...rest]: Path, change: Change): unknown {
  if (key === undefined || !isObject(value)) return change(value);
  const members = Object.entries(value)
    .map(([name, member]): [string, unknown] => [name, name === key ? changeAt(member, rest, change) : member])
    .filter(([, member]) => member !== REMOVED);
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Raw);
}
