import * as fc from 'fast-check';
import { hostileTexts } from './hostile-value.ts';
import { valuesOf } from './json-schema-arbitrary.ts';
import type { Operation, Parameter, World } from './operation.ts';

/** Already encoded, some of them wrongly. */
export const oddSegments = [
  ...['', '.', '..', '%2e%2e', '%2e', '%2f', '%5c', '%', '%z', '%zz', '%00', 'a%00b', '%ff', '%c0%af', '%ed%a0%80'],
  ...['%F0%9F%92%A9', '%E0%A4%A', '%u0041', '%20', '%0d%0aX:y', '+', '*', ';x=1', ':org', '{org}', '~', '-'],
  ...['__proto__', 'constructor', 'null', 'undefined', 'a'.repeat(65), 'a'.repeat(256), 'a'.repeat(3000)],
  '%41'.repeat(2000),
];

const hostileSegments = fc.oneof(fc.constantFrom(...oddSegments), hostileTexts.map(percentEncoded));

export function validPaths(operation: Operation, world: World): fc.Arbitrary<string> {
  return withSegments(operation, (parameter) => validSegments(operation, parameter, world));
}

function validSegments({ schemas }: Operation, { name, schema }: Parameter, world: World): fc.Arbitrary<string> {
  const known = world.names[name];
  const valid = valuesOf(schema, schemas).map((value) => percentEncoded(String(value)));
  if (known === undefined) return valid;
  return fc.oneof({ weight: 9, arbitrary: fc.constant(known) }, { weight: 1, arbitrary: valid });
}

export function hostilePaths(operation: Operation, world: World): fc.Arbitrary<string> {
  const mixed = withSegments(operation, (parameter) =>
    fc.oneof(validSegments(operation, parameter, world), hostileSegments),
  );
  const around = fc.constantFrom<[string, string]>(
    ['', ''],
    ['', '/'],
    ['/', ''],
    ['', '/x'],
    ['/..', ''],
    ['', '%00'],
  );
  return fc.tuple(around, mixed).map(([[before, after], path]) => before + path + after);
}

function withSegments(operation: Operation, segments: (parameter: Parameter) => fc.Arbitrary<string>) {
  const places = operation.parameters.filter((parameter) => parameter.in === 'path');
  const values = Object.fromEntries(places.map((parameter) => [parameter.name, segments(parameter)]));
  return fc
    .record(values)
    .map((chosen) => operation.path.replace(/\{(\w+)\}/g, (_, name: string) => chosen[name] ?? ''));
}

/** Half of a surrogate pair cannot be percent-encoded. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
