import { useMutation } from '@tanstack/react-query';
import { ApiError } from '@waymark/client';

/**
 * Whether something of a name is there. A name is free only when the server says so; one that it refuses is not taken, and
 * creating it tells what is wrong.
 */
export async function isThere(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return false;
    throw error;
  }
}

/** To create and to change are one operation of the API: this keeps a form that creates from changing what is there. */
export function useFreeName() {
  const check = useMutation<void, Error, { readonly what: string; readonly read: () => Promise<unknown> }>({
    mutationFn: async ({ what, read }) => {
      if (await isThere(read)) throw new Error(`${what} already exists. Choose another name.`);
    },
  });
  return {
    error: check.error,
    isPending: check.isPending,
    unlessTaken: (what: string, read: () => Promise<unknown>, goOn: () => void) =>
      check.mutate({ what, read }, { onSuccess: goOn }),
  };
}
