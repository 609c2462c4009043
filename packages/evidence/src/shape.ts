import * as z from 'zod';
import { Unreadable } from './unreadable.ts';

/** Returns the value in the shape of the schema, or refuses it with the first invalid member. */
export function shaped<T>(name: string, schema: z.ZodType<T>, value: unknown, path: readonly PropertyKey[] = []): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = pathText([...path, ...(issue?.path ?? [])]);
  throw new Unreadable(`${name}: ${place}${issue?.message ?? 'is not as expected'}.`);
}

/** A list whose items are checked later. */
export const AnyList = z.custom<unknown[]>(Array.isArray, 'Invalid input: expected array');

/**
 * A list that stops at its first invalid item. The lists of zod record every issue, which for millions of items costs
 * more memory than the file.
 */
export function listOf<T>(item: z.ZodType<T>): z.ZodType<T[], unknown[]> {
  return AnyList.transform((values, context) => {
    const items: T[] = [];
    for (const [index, value] of values.entries()) {
      const parsed = item.safeParse(value);
      if (!parsed.success) {
        const issue = parsed.error.issues[0];
        context.issues.push({
          code: 'custom',
          input: value,
          path: [index, ...(issue?.path ?? [])],
          message: issue?.message ?? 'is not as expected',
        });
        return z.NEVER;
      }
      items.push(parsed.data);
    }
    return items;
  });
}

function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '';
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return `${text.replace(/^\./, '')}: `;
}
