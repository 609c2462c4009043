import { NO_DETAILS } from '@waymark/messages';
import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { epochSeconds } from '../../../platform/time.ts';
import { enqueueMessages, type PlannedMessage } from '../queue/message.service.ts';
import { findConfig, lockConfig } from '../settings/notification-config.store.ts';
import { daysLeft, stepsUntil } from './expiry-steps.ts';
import type { DueKey } from './key-expiry.store.ts';
import * as store from './key-expiry.store.ts';

const TYPE = 'api_key_expiry';

/** An org may have very many admins; this many recipients are enough. */
const ADMINS_MAX = 100;

/**
 * Enqueues messages about keys of the context's org that expire soon or have expired: one for each key and step, even
 * when several workers do so at once. Returns how many messages it enqueued.
 */
export async function notifyOfKeys(ctx: Ctx, keys: readonly DueKey[]): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    await lockConfig(ctx.db, ctx.org, TYPE);
    const taken = await takeLatestSteps(ctx, keys);
    const recipientsOf = await findRecipients(ctx, taken);
    const known = taken.filter((key) => isForSomebody(ctx, key, recipientsOf(key)));
    if (known.length === 0) return 0;
    const planned = known.map((key) => toMessage(ctx, key, recipientsOf(key)));
    const ids = await enqueueMessages(ctx.db, ctx.org, planned, ctx.now());
    const notices = known.flatMap(({ id, step }, i) => {
      const message_id = ids[i];
      return message_id ? [{ key_id: id, step, message_id }] : [];
    });
    await store.updateNotices(ctx.db, ctx.org, notices);
    return notices.length;
  });
}

/**
 * Takes the latest step of each key, and returns the keys whose step nobody had taken. Earlier steps are taken with it.
 */
async function takeLatestSteps({ db, org, now }: Ctx, keys: readonly DueKey[]): Promise<DueKey[]> {
  const notices = keys.flatMap((key) => stepsUntil(key, key.step).map((step) => ({ key_id: key.id, step })));
  const taken = await store.insertNotices(db, org, notices, now());
  return keys.filter(({ id, step }) => taken.some((notice) => notice.key_id === id && notice.step === step));
}

/** Undefined when the org has configured the targets itself. */
type Recipients = readonly string[] | undefined;

async function findRecipients({ db, org }: Ctx, keys: readonly DueKey[]): Promise<(key: DueKey) => Recipients> {
  const config = await findConfig(db, org, TYPE);
  if (config?.configured_at) return () => undefined;
  const creators = keys.flatMap(({ creating_user_id }) => creating_user_id ?? []);
  const isOfAccounts = keys.some(({ is_personal }) => !is_personal);
  const people = isOfAccounts ? await store.listAddressees(db, org, creators, ADMINS_MAX) : [];
  return ({ is_personal, email, creating_user_id }) => {
    if (is_personal) return email === null ? [] : [email];
    const known = people.filter(({ user_id, is_admin }) => is_admin || user_id === creating_user_id);
    return known.map((person) => person.email);
  };
}

function isForSomebody(ctx: Ctx, key: DueKey, recipients: Recipients): boolean {
  if (recipients?.length !== 0) return true;
  ctx.log.warn({ org: ctx.org, key: key.id }, 'an API key expires, and nobody who is to know has an address');
  return false;
}

function toMessage(ctx: Ctx, key: DueKey, recipients: Recipients): PlannedMessage {
  return {
    source: { id: ctx.org, configType: TYPE },
    scopeId: ctx.org,
    trigger: TYPE,
    count: 1,
    at: ctx.now(),
    entryIds: [],
    entriesKey: '',
    // Each key has a message of its own, which is numbered at once.
    groups: false,
    content: {
      ...NO_DETAILS,
      apiKey: {
        id: key.id,
        description: key.description,
        owner: key.owner,
        expiresAt: epochSeconds(key.expires_at),
        daysLeft: daysLeft(key.expires_at, ctx.now()),
      },
      names: [key.description],
    },
    ...(recipients && { recipients }),
  };
}
