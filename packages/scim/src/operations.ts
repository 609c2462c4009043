import { refuse } from './error.ts';
import { type PatchPath, parsePath, WHOLE_RESOURCE } from './path.ts';
import { byLowerName, readObject } from './values.ts';

export type Step = { op: 'add' | 'replace' | 'remove'; path: PatchPath; value: unknown };

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const MAX_OPERATIONS = 1000;
const MAX_STEPS = 10_000;

/** Returns every operation as steps with one path each, in order. */
export function readPatch(body: unknown): Step[] {
  const message = byLowerName(readObject('The body', body));
  const schemas = message.get('schemas');
  if (!Array.isArray(schemas) || !schemas.includes(PATCH_SCHEMA)) {
    throw refuse('invalidSyntax', `schemas must name ${PATCH_SCHEMA}`);
  }
  const operations = message.get('operations');
  if (!Array.isArray(operations) || operations.length === 0) {
    throw refuse('invalidSyntax', 'Operations must be a list with at least one operation');
  }
  if (operations.length > MAX_OPERATIONS)
    throw refuse('invalidValue', `Operations can have at most ${MAX_OPERATIONS} items`);
  const steps = operations.flatMap((operation: unknown, index) => toSteps(`Operations[${index}]`, operation));
  if (steps.length > MAX_STEPS) throw refuse('invalidValue', `Operations can change at most ${MAX_STEPS} attributes`);
  return steps;
}

function toSteps(field: string, operation: unknown): Step[] {
  const given = byLowerName(readObject(field, operation));
  const op = readOp(`${field}.op`, given.get('op'));
  const path = given.get('path') ?? null;
  const value = given.get('value');
  if (op !== 'remove' && value === undefined) throw refuse('invalidValue', `${field}.value is missing`);
  if (path !== null) return toStep(field, op, path, value);
  return wholeResource(field, op, value);
}

function wholeResource(field: string, op: Step['op'], value: unknown): Step[] {
  if (op === 'remove') throw refuse('noTarget', `${field}.path is missing; name the attribute to remove`);
  const attributes = Object.entries(readObject(`${field}.value`, value));
  return attributes.flatMap(([name, one]) => toStep(field, op, name, one));
}

function toStep(field: string, op: Step['op'], path: unknown, value: unknown): Step[] {
  if (typeof path !== 'string') throw refuse('invalidPath', `${field}.path must be a string`);
  if (WHOLE_RESOURCE.test(path)) return wholeResource(field, op, value);
  const parsed = parsePath(path);
  return parsed ? [{ op, path: parsed, value }] : [];
}

function readOp(field: string, value: unknown): Step['op'] {
  const op = typeof value === 'string' ? value.toLowerCase() : '';
  if (op === 'add' || op === 'replace' || op === 'remove') return op;
  throw refuse('invalidSyntax', `${field} must be add, replace or remove`);
}
