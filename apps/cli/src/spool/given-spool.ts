import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Send, Sent, ToSpool } from './spooled.ts';

/** A path for a spool that does not exist yet. */
export async function givenDirectory(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'waymark-spool-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return join(root, 'spool');
}

export function attestation(name: string, more: Partial<ToSpool> = {}): ToSpool {
  return {
    operation: 'attestGeneric',
    params: { org: 'acme', flow_name: 'web', trail_name: 't1' },
    body: { attestation_name: name, is_compliant: true },
    claimedAt: new Date('2026-03-01T10:00:00Z'),
    line: 'https://waymark.test/acme/web/t1',
    host: 'https://waymark.test',
    org: 'acme',
    ...more,
  };
}

export function report(digest: string, more: Partial<ToSpool> = {}): ToSpool {
  return {
    ...attestation(''),
    operation: 'reportServer',
    params: { org: 'acme', env_name: 'prod' },
    body: { artifacts: [{ digests: { web: digest.repeat(64) }, creationTimestamp: 1_700_000_000 }] },
    line: 'https://waymark.test/acme/prod',
    latestOnly: true,
    ...more,
  };
}

/** Answers as instructed, and records the requests. */
export function givenServer(answer: (name: string) => Sent['kind'] = () => 'recorded') {
  const names: string[] = [];
  const contents: (string | undefined)[] = [];
  const send: Send = async ({ body }, content) => {
    const { attestation_name: name } = body as { attestation_name: string };
    names.push(name);
    contents.push(await content?.text());
    const kind = answer(name);
    if (kind === 'recorded' || kind === 'superseded') return { kind };
    return { kind, reason: `${kind} for a reason`, cause: new Error(kind) };
  };
  return { names, contents, send };
}
