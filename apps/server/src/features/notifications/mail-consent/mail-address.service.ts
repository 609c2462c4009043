import { type Ctx, inTransaction } from '../../../platform/ctx.ts';
import { hashSecret } from '../../../platform/http/session-cookie.ts';
import { emit } from '../../../platform/journal/journal.ts';
import { enqueueMail } from '../../../platform/mail/outbox.ts';
import { readOrgRow } from '../../orgs/org.reads.ts';
import { mailAddressConfirmed, mailAddressDeclined } from './mail-address.entries.ts';
import { listMailable } from './mail-address.reads.ts';
import * as store from './mail-address.store.ts';

export const CONFIRMATION_MAIL = 'address-confirmation';

const DAY_MS = 24 * 3_600_000;
/** Addresses that an org may ask within a day. */
const ASKED_BY_ORG = 50;
/** Confirmation mails to one address in a day, from all orgs together. */
const ASKED_OF_ADDRESS = 5;

/**
 * Asks the owners of a source's addresses to confirm, except members and those who have answered. Nobody is asked twice
 * within a day. Call it in the transaction that replaces the targets.
 */
export async function askToConfirm(ctx: Ctx, sourceId: string): Promise<void> {
  const now = ctx.now();
  const since = new Date(now.getTime() - DAY_MS);
  const unasked = await store.listUnasked(ctx.db, ctx.org, sourceId, since);
  const mailable = await listMailable(ctx.db, ctx.org, unasked);
  // Always in the same order, so that transactions do not deadlock.
  const addresses = unasked.filter((address) => !mailable.has(address));
  if (addresses.length === 0) return;
  const room = ASKED_BY_ORG - (await store.countAsked(ctx.db, ctx.org, since));
  for (const address of addresses.slice(0, Math.max(0, room))) {
    if (!(await store.countConfirmation(ctx.db, address, now, ASKED_OF_ADDRESS))) continue;
    const id = await store.upsertAsked(ctx.db, ctx.org, { id: ctx.newId(), address, now });
    await enqueueMail(ctx.db, { kind: CONFIRMATION_MAIL, subjectId: id, orgId: ctx.org, now });
  }
}

export type MailConsent = 'confirmed' | 'declined';

export interface AskedAddress extends store.AddressRow {
  readonly org_name: string;
}

export async function findAsked({ db }: Ctx, token: string): Promise<AskedAddress | undefined> {
  const asked = await store.findByHash(db, hashSecret(token));
  return asked && { ...asked, org_name: (await readOrgRow(db, asked.org_id)).name };
}

/** Records the answer of the owner of an address. A repeat changes nothing; undefined when the token is unknown. */
export async function answerForAddress(
  ctx: Ctx,
  token: string,
  answer: MailConsent,
): Promise<AskedAddress | undefined> {
  const asked = await findAsked(ctx, token);
  if (!asked) return undefined;
  return inTransaction({ ...ctx, org: asked.org_id }, async (ctx) => {
    await store.lockAddress(ctx.db, ctx.org, asked.id);
    const stored = await store.findAddress(ctx.db, ctx.org, asked.id);
    const before = stored && { ...stored, org_name: asked.org_name };
    const isSo = before?.[`${answer}_at`];
    if (!before || isSo) return before;
    const now = ctx.now();
    const change = {
      confirmed_at: answer === 'confirmed' ? now : null,
      declined_at: answer === 'declined' ? now : null,
    };
    const seq = await store.updateAnswer(ctx.db, ctx.org, asked.id, change);
    const entry = answer === 'confirmed' ? mailAddressConfirmed : mailAddressDeclined;
    await emit(ctx, entry, { kind: 'mail_address', id: asked.id, seq }, { address: asked.address });
    return { ...before, ...change };
  });
}
