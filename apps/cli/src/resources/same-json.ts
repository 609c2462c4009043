import { isDeepStrictEqual } from 'node:util';

/** Whether both say the same as JSON: what is undefined is not there, and the order of keys means nothing. */
export function sameJson(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(throughJson(a), throughJson(b));
}

function throughJson(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
