import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { TargetInput } from '@waymark/contract';
import type { Ctx } from '../../platform/ctx.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { keepRefusals } from '../mail-refusals/mail-refusal.service.ts';
import { listTargets, type TargetRow } from './target.reads.ts';
import * as store from './target.store.ts';
import { readTargets, type WantedTarget } from './target-input.ts';
import { newSecret, openPart, sealPart } from './target-secret.ts';

export interface TargetSource {
  /** The notification, or the org for a configuration. */
  readonly id: string;
  readonly configType: 'api_key_expiry' | null;
}

/**
 * Makes these the targets of a source, in the transaction of the caller, who holds the lock on the source. One that is
 * the same as before keeps its secret and its record, and is used again if it was given up; one that is left out gets
 * nothing more.
 */
export async function replaceTargets(
  ctx: Ctx,
  box: SecretBox | undefined,
  source: TargetSource,
  inputs: readonly TargetInput[],
  /** CIDRs besides the public internet that the operator permits. */
  networks: readonly string[] = [],
): Promise<'changed' | 'unchanged'> {
  const wanted = readTargets(inputs, { canKeepSecrets: box !== undefined, networks });
  const stored = await listTargets(ctx.db, ctx.org, [source.id]);
  const matches = wanted.map((target) => stored.find((row) => isSame(row, target)));
  const gone = stored.filter((row) => !matches.includes(row));
  await remove(ctx, gone);
  let isChanged = gone.length > 0;
  for (const [position, target] of wanted.entries()) {
    const before = matches[position];
    if (!before) await insert(ctx, box, source, target, position);
    const isKept = before !== undefined && (await keep(ctx, before, target, position)) === 'unchanged';
    isChanged ||= !isKept;
  }
  await keepRefusals(ctx, source.id);
  return isChanged ? 'changed' : 'unchanged';
}

/** Removes all targets that a source was given; what waits for them is dropped. */
export async function removeTargets(ctx: Ctx, source: TargetSource): Promise<void> {
  await remove(ctx, await listTargets(ctx.db, ctx.org, [source.id]));
}

/** The URL of a target, and its secrets, newest first. Undefined is what the key of the installation does not open. */
export function openTarget(
  box: SecretBox | undefined,
  target: Pick<store.StoredTarget, 'id' | 'url_sealed' | 'secret_sealed' | 'old_secret_sealed' | 'old_secret_until'>,
  now: Date,
): { readonly url: string | undefined; readonly secrets: readonly string[] } {
  const { id, old_secret_until: until } = target;
  const old = until !== null && until > now ? target.old_secret_sealed : null;
  const secrets = [openPart(box, 'secret', id, target.secret_sealed), openPart(box, 'oldSecret', id, old)];
  return {
    url: openPart(box, 'url', id, target.url_sealed),
    secrets: secrets.filter((secret) => secret !== undefined),
  };
}

function isSame(row: TargetRow, { kind, url, emails }: WantedTarget): boolean {
  if (row.kind !== kind) return false;
  if (url !== null) return row.url_sha256?.equals(digestOf(url)) === true;
  return isDeepStrictEqual(addressesOf(row.emails), addressesOf(emails));
}

function addressesOf(emails: readonly string[]): string[] {
  return emails.map((email) => email.toLowerCase()).sort();
}

function digestOf(url: string): Buffer {
  return hash('sha256', url, 'buffer');
}

async function insert(
  ctx: Ctx,
  box: SecretBox | undefined,
  source: TargetSource,
  { kind, url, payloadVersion, context, emails }: WantedTarget,
  position: number,
): Promise<void> {
  const id = ctx.newId();
  await store.insertTarget(ctx.db, {
    org_id: ctx.org,
    id,
    source_id: source.id,
    config_type: source.configType,
    kind,
    position,
    url_sealed: url === null ? null : sealPart(required(box), 'url', id, url),
    url_sha256: url === null ? null : digestOf(url),
    url_host: url === null ? null : new URL(url).host,
    payload_version: payloadVersion,
    context: context && JSON.stringify(context),
    emails: [...emails],
    secret_sealed: kind === 'WEBHOOK' ? sealPart(required(box), 'secret', id, newSecret()) : null,
    created_at: ctx.now(),
  });
}

function required(box: SecretBox | undefined): SecretBox {
  if (!box) throw new Error('a secret was accepted where none can be kept');
  return box;
}

async function keep(ctx: Ctx, before: TargetRow, { context, emails }: WantedTarget, position: number) {
  const isChanged =
    before.position !== position ||
    !isDeepStrictEqual(before.context, context) ||
    !isDeepStrictEqual(before.emails, emails);
  const isRevived = before.disabled_at !== null;
  if (isChanged) {
    const change = { position, context: context && JSON.stringify(context), emails: [...emails] };
    await store.updateTarget(ctx.db, ctx.org, before.id, change);
  }
  if (isRevived) await store.updateToEnabled(ctx.db, ctx.org, before.id);
  return isChanged || isRevived ? 'changed' : 'unchanged';
}

async function remove(ctx: Ctx, targets: readonly TargetRow[]): Promise<void> {
  if (targets.length === 0) return;
  const ids = targets.map(({ id }) => id);
  await store.updateToRemoved(ctx.db, ctx.org, ids, ctx.now());
  await store.updateToDropped(ctx.db, ctx.org, ids, ctx.now());
}
