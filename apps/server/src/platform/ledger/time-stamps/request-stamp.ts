import { type Certificate, createRequest, openResponse, REQUEST_TYPE, TimeStampError } from '@waymark/time-stamps';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import { findOutboundError } from '../../outbound/outbound-error.ts';
import type { StoredStamp } from './time-stamp.store.ts';

/** An authority of RFC 3161, and who must vouch for it. */
export interface Authority {
  readonly url: string;
  readonly roots: readonly Certificate[];
}

/** How far its clock and that of this server may differ. */
const TOLERANCE_MS = 5 * 60_000;

/** Thrown when there is no time stamp that can be stored. The message is for operators. */
export class NoTimeStamp extends Error {}

interface RequestParts {
  readonly authority: Authority;
  readonly outbound: GuardedFetch;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/** Requests a time stamp over a message, and verifies all of it. */
export async function requestStamp(parts: RequestParts, message: Uint8Array): Promise<StoredStamp> {
  const { authority, now } = parts;
  const request = await createRequest(message);
  const response = await send(parts, request.bytes);
  try {
    const stamp = await openResponse(response, request, { roots: authority.roots });
    if (Math.abs(stamp.at.getTime() - now().getTime()) > TOLERANCE_MS)
      throw new NoTimeStamp(
        `The authority stamped ${stamp.at.toISOString()}, when it was ${now().toISOString()} here: one clock is wrong`,
      );
    return stamp;
  } catch (error) {
    if (error instanceof TimeStampError) throw new NoTimeStamp(`The response is not valid: ${error.message}`);
    throw error;
  }
}

async function send({ authority, outbound, signal }: RequestParts, body: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const response = await outbound(authority.url, {
    method: 'POST',
    body,
    headers: { 'content-type': REQUEST_TYPE },
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new NoTimeStamp(findOutboundError(error)?.message ?? 'The request failed', { cause: error });
  });
  if (response.status !== 200) throw new NoTimeStamp(`The authority responded with status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
