import { type Contract, fillPath } from '@waymark/contract';
import { InvalidInputError } from './errors.ts';
import type { LooseInput } from './input.ts';
import type { Settings } from './options.ts';

/** Everything that is sent except the key, the same in each attempt. */
export interface PreparedRequest {
  readonly operation: string;
  readonly method: Contract['method'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
  /** Whether a repeat has no further effect. */
  readonly isRepeatable: boolean;
  readonly needsKey: boolean;
  readonly timeoutMs: number;
}

const BYTES_PER_SECOND = 256 * 1024;
const EVIDENCE_ID = 'waymark-evidence-id';

export function prepareRequest(settings: Settings, contract: Contract, input: LooseInput): PreparedRequest {
  const declared = declaredOf(input);
  const idempotencyKey = idempotencyKeyOf(contract, input, declared);
  const payload = payloadOf(contract, input);
  return {
    operation: contract.id,
    method: contract.method,
    url: urlOf(settings.baseUrl, contract, input),
    headers: {
      accept: contract.replyType ?? 'application/json',
      ...declared,
      ...(settings.userAgent && { 'user-agent': settings.userAgent }),
      ...(contract.beta && { 'waymark-beta': contract.beta }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...payload.headers,
    },
    body: payload.body,
    isRepeatable: !mayAdd(contract) || idempotencyKey !== undefined || declared[EVIDENCE_ID] !== undefined,
    needsKey: contract.access !== 'public',
    timeoutMs: settings.timeoutMs + Math.ceil((1000 * (input.file?.content.size ?? 0)) / BYTES_PER_SECOND),
  };
}

function mayAdd({ method }: Contract): boolean {
  return method === 'POST' || method === 'PATCH';
}

/** The server stores responses by caller, so for a public operation an idempotency key would guarantee nothing. */
function idempotencyKeyOf(
  contract: Contract,
  input: LooseInput,
  declared: Readonly<Record<string, string>>,
): string | undefined {
  if (input.idempotencyKey !== undefined) return sendable('idempotencyKey', input.idempotencyKey);
  if (!mayAdd(contract) || contract.access === 'public' || declared[EVIDENCE_ID] !== undefined) return undefined;
  // Not randomUUID: browsers have that in secure contexts only.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** fetch quotes invalid header values in its message. A key must not leak that way. */
export function sendable(field: string, value: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new InvalidInputError(field, 'must be visible ASCII characters: look for a line break, a space or quotes');
}

function declaredOf({ headers = {} }: LooseInput): Record<string, string> {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [name, String(value)]));
}

function urlOf(baseUrl: string, contract: Contract, input: LooseInput): string {
  const path = fillPath(contract, (name) => encodeURIComponent(segmentOf(name, input.params?.[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    for (const item of [value].flat()) if (item !== undefined && item !== null) search.append(name, String(item));
  }
  if (input.dryRun) search.set('dry_run', 'true');
  return `${baseUrl}${path}${search.size > 0 ? `?${search}` : ''}`;
}

/** A path with one of these would address another operation. */
function segmentOf(name: string, given: unknown): string {
  // Some contracts take a number where the address has its digits.
  const value = given === undefined || given === null ? '' : String(given);
  if (value === '') throw new InvalidInputError(name, 'must not be empty');
  if (value === '.' || value === '..') throw new InvalidInputError(name, "must not be '.' or '..'");
  if (!value.isWellFormed()) throw new InvalidInputError(name, 'must not contain half a character');
  return value;
}

function payloadOf(
  contract: Contract,
  input: LooseInput,
): { headers: Readonly<Record<string, string>>; body: string | FormData | undefined } {
  if (contract.form && input.file) {
    const form = new FormData();
    form.append(contract.form.json, JSON.stringify(input.body));
    form.append(contract.form.file.name, input.file.content, input.file.name);
    return { headers: {}, body: form };
  }
  if (input.body === undefined) return { headers: {}, body: undefined };
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input.body) };
}
