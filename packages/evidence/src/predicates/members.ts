import { isObject } from '../json-document.ts';
import { shorten } from '../shorten.ts';

const TEXT_MAX = 1000;

/** A member of a member, if there is one. */
export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const step of path) found = isObject(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  return found;
}

/** Leaves out what is too long: a rule compares the whole text, or nothing. */
export function textOf(value: unknown, ...path: readonly string[]): string | undefined {
  const found = memberOf(value, ...path);
  if (typeof found !== 'string' || found === '' || found.length > TEXT_MAX) return undefined;
  return shorten(found, Number.POSITIVE_INFINITY);
}

export function listIn(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = memberOf(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function textsIn(value: unknown, most: number, ...path: readonly string[]): string[] {
  return listIn(value, ...path)
    .slice(0, most)
    .flatMap((item) => textOf(item) ?? []);
}

/** Without the members that are undefined. */
export function known<T extends object>(members: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
