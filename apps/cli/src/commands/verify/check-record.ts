import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';

/** The attached file that an attestation names. */
export interface ClaimedAttachment {
  readonly path: string;
  readonly sha256: unknown;
}

const HAS_SENT = /^records\/(artifacts|attestations|approvals)\//;

/** The payload must have the digest that was recorded with it. */
export function checkRecord(
  path: string,
  bytes: Buffer,
): { readonly problem?: string; readonly attachment?: ClaimedAttachment } {
  const record = parsed(bytes);
  if (record === undefined) return { problem: 'is not JSON' };
  if (!HAS_SENT.test(path)) return {};
  const { sent, content_sha256: recorded, attachment, evidence_archive_fingerprint: sha256 } = record;
  const actual = digestOf(sent);
  if (actual === undefined || actual !== recorded) {
    return {
      problem: `differs from what was recorded: its digest is ${actual}, but ${JSON.stringify(recorded)} was recorded`,
    };
  }
  return typeof attachment === 'string' ? { attachment: { path: attachment, sha256 } } : {};
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when it cannot be serialized, for example because it is nested too deeply. */
function digestOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  try {
    return hash('sha256', canonicalJson(value));
  } catch {
    return undefined;
  }
}
