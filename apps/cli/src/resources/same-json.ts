import { isDeepStrictEqual } from 'node:util';

/** Whether both are equal as JSON: undefined is absent, and the order of keys does not matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(throughJson(a), throughJson(b));
}

function throughJson(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
