import { UnexpectedAnswerError } from '@waymark/client';
import type { Contract } from '@waymark/contract';

const RECEIPT = 'Waymark-Attestation';

/** The service returns which attestation it recorded. A success without that comes from a server in between. */
export function requireReceipt(
  { id, replyHeaders }: Contract,
  { status, headers }: { readonly status: number; readonly headers: Headers },
): void {
  if (replyHeaders?.[RECEIPT] === undefined || headers.get(RECEIPT)) return;
  throw new UnexpectedAnswerError(
    `The response to ${id} (${status}) has no ${RECEIPT} header, so it does not confirm that the entry was recorded`,
    status,
    headers.get('x-request-id'),
  );
}
