import { type KeyScope, scopeNames } from '@waymark/contract';
import { z } from 'zod';

/** How entries record the scope of a key. It never changes, whatever happens to the API. */
export const RecordedScope = z
  .strictObject({ kind: z.enum(['evidence', 'snapshot', 'read']), names: z.array(z.string()).nullable() })
  .nullable();

export function recordedScope(scope: KeyScope | null): z.infer<typeof RecordedScope> {
  if (scope === null) return null;
  const names = scopeNames(scope);
  return { kind: scope.kind, names: names ? [...names] : null };
}
