import { type KeyScope, scopeNames } from '@waymark/contract';
import { z } from 'zod';

/** How entries record what a key is limited to. It never changes, whatever becomes of the wire. */
export const RecordedScope = z
  .strictObject({ kind: z.enum(['evidence', 'snapshot', 'read']), names: z.array(z.string()).nullable() })
  .nullable();

export function recordedScope(scope: KeyScope | null): z.infer<typeof RecordedScope> {
  if (scope === null) return null;
  const names = scopeNames(scope);
  return { kind: scope.kind, names: names ? [...names] : null };
}
