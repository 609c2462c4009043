import type { Reads } from '../rule.ts';
import type { Expression } from './ast.ts';
import type { Reference } from './reference.ts';
import { referenceOf } from './reference.ts';

/** What an expression depends on. That there is a flow at all is evidence, and not among it. */
export function readsOf(expression: Expression): Reads {
  const references = namesIn(expression).flatMap((name) => referenceOf(name) ?? []);
  const has = (of: Reference['of']) => references.some((reference) => reference.of === of);
  return {
    flowName: has('flow.name'),
    flowTags: keysOf(references, 'flow.tags'),
    artifactName: has('artifact.name'),
    fingerprint: has('artifact.fingerprint'),
    // Whether there is an environment is told by its name.
    environmentName: has('environment.name') || has('environment'),
    environmentTags: keysOf(references, 'environment.tags'),
  };
}

export function allReads(parts: readonly Reads[]): Reads {
  return {
    flowName: parts.some(({ flowName }) => flowName),
    flowTags: distinct(parts.flatMap(({ flowTags }) => flowTags)),
    artifactName: parts.some(({ artifactName }) => artifactName),
    fingerprint: parts.some(({ fingerprint }) => fingerprint),
    environmentName: parts.some(({ environmentName }) => environmentName),
    environmentTags: distinct(parts.flatMap(({ environmentTags }) => environmentTags)),
  };
}

function namesIn(node: Expression): string[] {
  switch (node.kind) {
    case 'text':
    case 'number':
      return [];
    case 'name':
      return [node.name];
    case 'list':
      return node.items.flatMap(namesIn);
    case 'call':
      return node.parameters.flatMap(namesIn);
    case 'not':
      return namesIn(node.operand);
    case 'comparison':
      return [...namesIn(node.left), ...namesIn(node.right)];
    case 'and':
    case 'or':
      return node.operands.flatMap(namesIn);
  }
}

function keysOf(references: readonly Reference[], of: Reference['of']): string[] {
  return distinct(references.flatMap((reference) => ('key' in reference && reference.of === of ? reference.key : [])));
}

function distinct(keys: readonly string[]): string[] {
  return [...new Set(keys)].toSorted();
}
