import { sameJson } from '../resources/same-json.ts';

/** Whether two contents are equal. An absent value, null, 0 and an empty one are the same: services differ in them. */
export function sameContent(a: unknown, b: unknown): boolean {
  return sameJson(filled(a), filled(b));
}

function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => filled(item) ?? null);
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .map(([key, member]) => [key, filled(member)] as const)
      .filter(([, member]) => member !== undefined);
    return members.length === 0 ? undefined : Object.fromEntries(members);
  }
  return value === null || value === '' || value === 0 ? undefined : value;
}

/** Returns the names of the fields in `wanted` that the existing resource has otherwise. */
export function differences(wanted: object, existing: object): string[] {
  const values = existing as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).flatMap(([key, value]) => (sameContent(value, values[key]) ? [] : [key]));
}
