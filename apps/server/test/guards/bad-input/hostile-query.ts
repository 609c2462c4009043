import * as fc from 'fast-check';
import { oddSegments, percentEncoded } from './hostile-path.ts';
import { forgedCursors, hostileTexts } from './hostile-value.ts';
import { valuesOf } from './json-schema-arbitrary.ts';
import type { Operation, Parameter } from './operation.ts';

export function validQueries(operation: Operation): fc.Arbitrary<string> {
  const declared = operation.parameters.filter((parameter) => parameter.in === 'query');
  const pieces = declared.map((parameter) =>
    fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: validPairs(operation, parameter) }),
  );
  return fc.tuple(...pieces).map(joined);
}

function validPairs({ schemas }: Operation, { name, schema }: Parameter): fc.Arbitrary<string> {
  return valuesOf(schema, schemas).map((value) => joined([value].flat().map((item) => pair(name, item))));
}

const oddQueries = [
  ...['&', '=', '?', '&&&==', '%', '%zz=%zz', '%00', '%ff=%c0%af', 'a[]=1', 'a[b]=1', '__proto__=1', '__proto__[x]=1'],
  ...['constructor=1', 'a'.repeat(10_000), 'a=1&'.repeat(2000), '%41'.repeat(3000), '+', ';', '%0d%0a'],
];

/** One piece is wrong, so that nothing else is in its way. */
export function hostileQueries(operation: Operation): fc.Arbitrary<string> {
  const declared = operation.parameters.filter((parameter) => parameter.in === 'query');
  const wrongIn = declared.map(({ name }) => {
    const others = { ...operation, parameters: declared.filter((parameter) => parameter.name !== name) };
    return fc.tuple(hostilePairs(fc.constant(name)), validQueries(others)).map(joined);
  });
  const more = fc.oneof(hostilePairs(hostileTexts), fc.constantFrom(...oddQueries));
  return fc.oneof(...wrongIn, fc.tuple(more, validQueries(operation)).map(joined));
}

function hostilePairs(names: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const values = fc.oneof(
    { weight: 6, arbitrary: hostileTexts.map(percentEncoded) },
    { weight: 2, arbitrary: fc.constantFrom(...oddSegments) },
    { weight: 2, arbitrary: forgedCursors },
  );
  const forms = fc.constantFrom('', '', '', '', '', '', '', '[]', '[x]', '.x');
  const counts = fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 1, 2, 30);
  return fc.tuple(names, forms, values, counts).map(([name, form, value, count]) =>
    Array(count)
      .fill(`${percentEncoded(name)}${form}=${value}`)
      .join('&'),
  );
}

function joined(pieces: readonly string[]): string {
  return pieces.filter((piece) => piece !== '').join('&');
}

function pair(name: string, value: unknown): string {
  return `${percentEncoded(name)}=${percentEncoded(String(value))}`;
}
