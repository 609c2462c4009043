import { z } from 'zod';
import { EnvironmentName } from './environments.ts';
import { FlowName } from './evidence.ts';

/** How many flows or environments a scope may name. */
export const SCOPE_NAMES_MAX = 50;

const named = (name: z.ZodString, what: string) =>
  z
    .array(name)
    .min(1)
    .max(SCOPE_NAMES_MAX)
    .nullish()
    .meta({
      description: `Names of the only ${what} it is valid for; null or absent for all. They do not have to exist yet`,
    });

/** What a key is limited to. The table of permissions lists the remaining operations. */
export const KeyScope = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('evidence'), flows: named(FlowName, 'flows') }),
      z.strictObject({ kind: z.literal('snapshot'), environments: named(EnvironmentName, 'environments') }),
      z.strictObject({ kind: z.literal('read') }),
    ],
    { error: ({ code }) => (code === 'invalid_union' ? 'must be one of evidence, snapshot, read' : undefined) },
  )
  .meta({
    id: 'KeyScope',
    description:
      '`evidence`: create trails, report artifacts and attestations, and read verdicts. `snapshot`: report what ' +
      'runs in environments. `read`: read what the role can read. A scope never adds permissions to the role',
    examples: [{ kind: 'evidence', flows: ['shop'] }],
  });
export type KeyScope = z.infer<typeof KeyScope>;

/** The names that a scope is limited to; undefined when it is not limited by name. */
export function scopeNames(scope: KeyScope): readonly string[] | undefined {
  if (scope.kind === 'evidence') return scope.flows ?? undefined;
  return scope.kind === 'snapshot' ? (scope.environments ?? undefined) : undefined;
}

/** The form in which a scope is stored and shown: each name once, and null for all. */
export function normalizedScope(scope: KeyScope): KeyScope {
  const names = scopeNames(scope);
  const unique = names ? [...new Set(names)] : null;
  if (scope.kind === 'evidence') return { kind: scope.kind, flows: unique };
  return scope.kind === 'snapshot' ? { kind: scope.kind, environments: unique } : { kind: scope.kind };
}

/** Describes the scope of anything that can have one. */
export const SCOPED =
  'With a `scope`, it has only the permissions that both the role and the scope grant; the permissions page lists ' +
  'the operations. Without one, it has all permissions of the role.';
