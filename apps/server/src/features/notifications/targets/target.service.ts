import { isDeepStrictEqual } from 'node:util';
import { DESTINATIONS_MAX, type TargetInput } from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';
import { invalidField } from '../../../platform/errors.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { askToConfirm } from '../mail-consent/mail-address.service.ts';
import { keepRefusals } from '../mail-consent/mail-refusal.service.ts';
import { digestOf, isSame, matchTargets } from './match-targets.ts';
import { listTargets, type TargetRow } from './target.reads.ts';
import * as store from './target.store.ts';
import { readTargets, type WantedTarget } from './target-input.ts';
import { newSecret, openPart, sealPart } from './target-secret.ts';

/** The key that seals the URLs of targets, and where they may lead. */
export interface TargetParts {
  readonly secretBox: SecretBox | undefined;
  /** CIDRs besides the public internet that the operator permits. */
  readonly networks: readonly string[];
}

export interface TargetSource {
  /** The notification, or the org for a configuration. */
  readonly id: string;
  readonly configType: 'api_key_expiry' | null;
}

/**
 * Makes these the targets of a source, in the transaction of the caller, who holds the lock on the source. An unchanged
 * one keeps its secret and its record, and is enabled if it was disabled; so does one with a new destination, which
 * gets what waits. One that is left out gets nothing more.
 */
export async function replaceTargets(
  ctx: Ctx,
  box: SecretBox | undefined,
  source: TargetSource,
  inputs: readonly TargetInput[],
  /** CIDRs besides the public internet that the operator permits. */
  networks: readonly string[] = [],
): Promise<'changed' | 'unchanged'> {
  const wanted = readTargets(inputs, { canStoreSecrets: box !== undefined, networks });
  const stored = await lockTargets(ctx, source);
  const matches = matchTargets(stored, wanted);
  const gone = stored.filter((row) => !matches.includes(row));
  await remove(ctx, gone);
  let isChanged = gone.length > 0;
  for (const [position, target] of wanted.entries()) {
    const before = matches[position];
    if (!before) await insert(ctx, box, source, target, position);
    const isUnchanged = before !== undefined && (await update(ctx, box, before, target, position)) === 'unchanged';
    isChanged ||= !isUnchanged;
  }
  if (isChanged) await requireRoom(ctx);
  await keepRefusals(ctx, source.id);
  await askToConfirm(ctx, source.id);
  return isChanged ? 'changed' : 'unchanged';
}

/** One event may have to be sent to all of them in one transaction. */
async function requireRoom({ db, org }: Ctx): Promise<void> {
  if ((await store.countDestinations(db, org)) <= DESTINATIONS_MAX) return;
  const reason = `would be too many: an org can have at most ${DESTINATIONS_MAX} URLs and email addresses`;
  throw invalidField('targets', reason);
}

/** Removes all configured targets of a source, and drops what waits for them. */
export async function removeTargets(ctx: Ctx, source: TargetSource): Promise<void> {
  await remove(ctx, await lockTargets(ctx, source));
}

/** In the order in which deliveries lock them, so that transactions do not deadlock. */
async function lockTargets({ db, org }: Ctx, source: TargetSource): Promise<TargetRow[]> {
  await store.lockStates(db, org, source.id);
  return listTargets(db, org, [source.id]);
}

/**
 * The URL of a target, and its secrets, newest first. Undefined or missing if the key of the installation does not open
 * it.
 */
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
  if (!box) throw new Error('a secret was accepted where none can be stored');
  return box;
}

async function update(
  ctx: Ctx,
  box: SecretBox | undefined,
  before: TargetRow,
  target: WantedTarget,
  position: number,
): Promise<'changed' | 'unchanged'> {
  const { context, emails } = target;
  const isReadable = target.url === null || openPart(box, 'url', before.id, before.url_sealed) !== undefined;
  const isSetUpAnew = !(isSame(before, target) && isReadable);
  const isChanged =
    isSetUpAnew ||
    before.position !== position ||
    !isDeepStrictEqual(before.context, context) ||
    !isDeepStrictEqual(before.emails, emails);
  if (isChanged) {
    const change = { position, context: context && JSON.stringify(context), emails: [...emails] };
    const sealed = isSetUpAnew && target.url !== null ? await seal(ctx, required(box), before.id, target.url) : {};
    await store.updateTarget(ctx.db, ctx.org, before.id, { ...change, ...sealed });
  }
  const isRevived = before.disabled_at !== null;
  if (isRevived || isSetUpAnew) await store.updateToEnabled(ctx.db, ctx.org, before.id);
  if (isSetUpAnew) await store.updateToDueNow(ctx.db, ctx.org, before.id, ctx.now());
  if (isSetUpAnew && target.kind === 'EMAIL') await store.dropForOthers(ctx.db, ctx.org, before.id, emails, ctx.now());
  return isChanged || isRevived ? 'changed' : 'unchanged';
}

/** Seals its URL, and replaces a secret that the key of the installation no longer opens. */
async function seal(ctx: Ctx, box: SecretBox, id: string, url: string): Promise<store.SealedParts> {
  // Its secret may be rotated at the same time.
  await store.lockTarget(ctx.db, ctx.org, id);
  const known = await store.findTarget(ctx.db, ctx.org, id);
  const parts = { url_sealed: sealPart(box, 'url', id, url), url_sha256: digestOf(url), url_host: new URL(url).host };
  if (known?.kind !== 'WEBHOOK' || openPart(box, 'secret', id, known.secret_sealed) !== undefined) return parts;
  const secret = sealPart(box, 'secret', id, newSecret());
  return { ...parts, secret_sealed: secret, old_secret_sealed: null, old_secret_until: null };
}

async function remove(ctx: Ctx, targets: readonly TargetRow[]): Promise<void> {
  if (targets.length === 0) return;
  const ids = targets.map(({ id }) => id);
  await store.updateToRemoved(ctx.db, ctx.org, ids, ctx.now());
  await store.updateToDropped(ctx.db, ctx.org, ids, ctx.now());
}
