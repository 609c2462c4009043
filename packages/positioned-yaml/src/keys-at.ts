import { z } from 'zod';

/** The keys that `schema` allows in the object that `path` leads to. */
export function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const here = unwrap(schema);
  const [next, ...rest] = path;
  if (here instanceof z.ZodArray) return keysAt(here.element, rest);
  if (!(here instanceof z.ZodObject)) return [];
  if (next === undefined) return Object.keys(here.shape);
  const member: z.core.$ZodType | undefined = here.shape[String(next)];
  return member ? keysAt(member, rest) : [];
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return unwrap(schema.unwrap());
  return schema;
}
