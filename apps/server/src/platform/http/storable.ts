import { invalidField } from '../errors.ts';

/**
 * Refuses JSON that canonical JSON cannot represent, at any depth: lone surrogates in a text or key, and numbers that
 * are too large. Opaque data is hashed as well as stored.
 */
export function requireStorable(body: unknown): void {
  const fault = faultIn(body, '');
  if (!fault) return;
  throw invalidField(fault.path, fault.problem);
}

interface Fault {
  readonly path: string;
  readonly problem: string;
}

function faultIn(value: unknown, path: string): Fault | undefined {
  if (typeof value === 'string' && !value.isWellFormed()) return broken(path);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { path: path || 'body', problem: 'contains a number that is too large' };
  }
  return typeof value === 'object' && value !== null ? faultInside(value, path) : undefined;
}

function faultInside(value: object, path: string): Fault | undefined {
  for (const key in value) {
    if (!key.isWellFormed()) return broken(path);
    const fault = faultIn(value[key as keyof typeof value], path === '' ? key : `${path}.${key}`);
    if (fault) return fault;
  }
  return undefined;
}

function broken(path: string): Fault {
  return { path: path || 'body', problem: 'must not contain invalid Unicode characters' };
}
