import { Option } from '@commander-js/extra-typings';
import { type KeyScope, scopeNames } from '@waymark/contract';
import { usageError } from '../run/cli-error.ts';
import { collect } from './options.ts';

export const scopeOption = () =>
  new Option('--scope <scope>', 'limit what the key can do (default: all permissions of the service account)').choices([
    'evidence',
    'snapshot',
    'read',
  ] as const);
export const flowsOption = () =>
  new Option('--flow <name>', 'with --scope evidence: only this flow; can be repeated').argParser(collect);
export const envsOption = () =>
  new Option('--env <name>', 'with --scope snapshot: only this environment; can be repeated').argParser(collect);

interface ScopeFlags {
  readonly scope?: KeyScope['kind'] | undefined;
  readonly flow?: string[] | undefined;
  readonly env?: string[] | undefined;
}

/** Undefined when no scope is asked for. */
export function scopeOf({ scope, flow, env }: ScopeFlags): KeyScope | undefined {
  if (flow !== undefined && scope !== 'evidence') throw misplaced('--flow', 'evidence');
  if (env !== undefined && scope !== 'snapshot') throw misplaced('--env', 'snapshot');
  if (scope === 'evidence') return { kind: scope, ...(flow && { flows: flow }) };
  if (scope === 'snapshot') return { kind: scope, ...(env && { environments: env }) };
  return scope && { kind: scope };
}

function misplaced(flag: string, scope: string) {
  return usageError(`${flag} needs --scope ${scope}`, `Add '--scope ${scope}', or leave out ${flag}`);
}

/** For people; empty without a scope. */
export function scopeText(scope: KeyScope | null): string {
  if (scope === null) return '';
  const names = scopeNames(scope);
  return names ? `${scope.kind}: ${names.join(', ')}` : scope.kind;
}
