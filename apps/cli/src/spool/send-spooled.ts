import {
  ApiError,
  ApprovalRequiredError,
  type Client,
  InvalidInputError,
  UnexpectedAnswerError,
} from '@waymark/client';
import { type Contract, contracts, getEnvironment } from '@waymark/contract';
import { requireReceipt } from './receipt.ts';
import { evidenceHeaders, isRepeatable, takesEvidenceId } from './repeatable.ts';
import type { Send, Sent, Spooled } from './spooled.ts';
import { isUnavailable } from './unavailable.ts';

/** Sends a spooled request as it would have been sent then, with its evidence id and its time. */
export function sendSpooled(client: Client, signal?: AbortSignal): Send {
  return async (entry, content) => {
    const contract = contracts.find(({ id }) => id === entry.operation);
    if (!contract || !isRepeatable(contract)) {
      return { kind: 'refused', reason: `this version of waymark cannot replay the operation '${entry.operation}'` };
    }
    try {
      if (entry.latestOnly && (await isOutdated(client, entry, signal))) return { kind: 'superseded' };
      requireReceipt(contract, await client.exchange(contract, inputOf(contract, entry, content, signal) as never));
      return { kind: 'recorded' };
    } catch (error) {
      // A push must report earlier refusals.
      if (signal?.aborted) return { kind: 'unavailable', reason: 'interrupted before the response arrived' };
      return failureOf(error);
    }
  };
}

function inputOf(contract: Contract, entry: Spooled, content: Blob | undefined, signal: AbortSignal | undefined) {
  return {
    params: entry.params,
    ...(entry.query && { query: entry.query }),
    ...(takesEvidenceId(contract) && { headers: evidenceHeaders(entry) }),
    body: entry.body,
    ...(entry.file && content && { file: { name: entry.file.name, content } }),
    signal,
  };
}

/** A report describes the present. Once the server has a later one, an old one would be wrong. */
async function isOutdated(client: Client, { params, claimedAt }: Spooled, signal: AbortSignal | undefined) {
  const { org = '', env_name = '' } = params;
  const { last_reported_at: latest } = await client.call(getEnvironment, { params: { org, env_name }, signal });
  return latest !== null && latest * 1000 > Date.parse(claimedAt);
}

function failureOf(error: unknown): Sent {
  if (isUnavailable(error) && error instanceof Error) return { kind: 'unavailable', reason: error.message };
  if (error instanceof ApiError) {
    const reason = reasonOf(error);
    return error.status === 401 ? { kind: 'denied', reason, cause: error } : { kind: 'refused', reason };
  }
  if (error instanceof UnexpectedAnswerError) return { kind: 'unexpected', reason: error.message };
  if (error instanceof ApprovalRequiredError) return { kind: 'refused', reason: error.message };
  if (error instanceof InvalidInputError) return { kind: 'refused', reason: error.message };
  throw error;
}

function reasonOf({ status, message, fields }: ApiError): string {
  const wrong = Object.entries(fields ?? {}).map(([field, reason]) => `${field} ${reason}`);
  return `${message} (${status})${wrong.length > 0 ? `: ${wrong.join('; ')}` : ''}`;
}
