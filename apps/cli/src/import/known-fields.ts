import type { z } from 'zod';

/**
 * Removes the members that the API of the target does not have, which it would refuse the whole body for. Anything
 * else that is wrong is left for the target to refuse, with its own words.
 */
export function knownFields<S extends z.ZodType>(schema: S, body: object): { body: z.input<S>; dropped: string[] } {
  const fitted = structuredClone(body);
  const dropped: string[] = [];
  for (const issue of schema.safeParse(body).error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue;
    const holder = issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], fitted);
    for (const key of issue.keys) {
      delete (holder as Record<string, unknown>)[key];
      dropped.push([...issue.path.filter((part) => typeof part === 'string'), key].join('.'));
    }
  }
  return { body: fitted as z.input<S>, dropped: [...new Set(dropped)] };
}
