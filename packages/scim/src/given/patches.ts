import { ScimError, type ScimType } from '../error.ts';
import { PATCH_SCHEMA, readPatch, type Step } from '../operations.ts';

/** The steps of a patch with these operations. */
export function patch(...operations: unknown[]): Step[] {
  return readPatch({ schemas: [PATCH_SCHEMA], Operations: operations });
}

/** The keyword with which something is refused; undefined if it is not. Any other failure is thrown on. */
export function refusal(attempt: () => unknown): ScimType | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof ScimError && error.status === 400) return error.scimType;
    throw error;
  }
}
