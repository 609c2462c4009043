import { UnexpectedAnswerError } from '@waymark/client';
import type { Contract } from '@waymark/contract';

const RECEIPT = 'Waymark-Attestation';

/** The service says which attestation it recorded. A success that does not is that of something in between. */
export function requireReceipt(
  { id, replyHeaders }: Contract,
  { status, headers }: { readonly status: number; readonly headers: Headers },
): void {
  if (replyHeaders?.[RECEIPT] === undefined || headers.get(RECEIPT)) return;
  throw new UnexpectedAnswerError(
    `The answer to ${id} (${status}) has no header ${RECEIPT}, so nothing says that it was recorded`,
    status,
    headers.get('x-request-id'),
  );
}
