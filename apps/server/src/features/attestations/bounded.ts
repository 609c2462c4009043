import { invalidField } from '../../platform/errors.ts';
import { SandboxFailed, SandboxTimeout } from '../../platform/sandbox/sandbox-error.ts';

/** Domain rule: evidence that exceeds the limits of time or memory is refused, and nothing is recorded. */
export async function refusedIfUnbounded<Value>(field: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SandboxTimeout) throw invalidField(field, 'takes too long to judge');
    if (error instanceof SandboxFailed) throw invalidField(field, 'needs too much memory to judge');
    throw error;
  }
}
