import type { Db } from '../../../platform/db/db.ts';
import { listMailable } from '../mail-consent/mail-address.reads.ts';
import * as store from './mail-admission.store.ts';

/** Notification mails in one day, UTC. */
export interface MailLimits {
  readonly perOrg: number;
  readonly perAddress: number;
}

export const MAIL_LIMITS: MailLimits = { perOrg: 5_000, perAddress: 500 };

export type DropReason = 'unconfirmed' | 'duplicate' | 'address_limit' | 'org_limit';

/** Rolls back the claim and the counts. */
class LimitReached extends Error {
  readonly reason: 'address_limit' | 'org_limit';

  constructor(reason: LimitReached['reason']) {
    super(reason);
    this.reason = reason;
  }
}

export interface WaitingMail {
  readonly orgId: string;
  readonly deliveryId: string;
  readonly address: string;
  /** The recipient follows from the ownership of a key; nobody in the org can choose it. */
  readonly derived: boolean;
}

/**
 * Decides whether a mail may be sent now, and returns why not. A mail that was admitted before is a retry: it is
 * admitted again without being counted.
 */
export async function findDropReason(
  db: Db,
  { orgId, deliveryId, address, derived }: WaitingMail,
  now: Date,
  limits: MailLimits = MAIL_LIMITS,
): Promise<DropReason | undefined> {
  try {
    return await db.transaction().execute(async (db) => {
      const mail = await store.findMail(db, orgId, deliveryId);
      // The sender notices both, and drops it without a reason.
      if (!mail || mail.is_refused) return undefined;
      if (!derived && !(await listMailable(db, orgId, [address])).has(address)) return 'unconfirmed';
      const claimed = await store.claimEvent(db, { org: orgId, address, event: mail.event, deliveryId, now });
      if (!claimed) return 'duplicate';
      if (claimed.is_new) await countMail(db, orgId, address, now, limits);
      return undefined;
    });
  } catch (error) {
    if (error instanceof LimitReached) return error.reason;
    throw error;
  }
}

/**
 * Counts a mail, in the transaction of the caller, who must not catch the error. Always in the same order, so that
 * transactions do not deadlock.
 */
async function countMail(db: Db, org: string, address: string, now: Date, limits: MailLimits): Promise<void> {
  if (!(await store.countMail(db, org, address, now, limits.perAddress))) throw new LimitReached('address_limit');
  if (!(await store.countMail(db, org, '', now, limits.perOrg))) throw new LimitReached('org_limit');
}

/** Counts mails that are sent at once, or returns the limit that they would exceed; the caller then rolls back. */
export async function findExceededLimit(
  db: Db,
  org: string,
  addresses: readonly string[],
  now: Date,
): Promise<string | undefined> {
  try {
    for (const address of addresses.toSorted()) await countMail(db, org, address, now, MAIL_LIMITS);
    return undefined;
  } catch (error) {
    if (error instanceof LimitReached) return explainDrop(error.reason);
    throw error;
  }
}

export function explainDrop(reason: DropReason, limits: MailLimits = MAIL_LIMITS): string {
  switch (reason) {
    case 'unconfirmed':
      return 'The address is not confirmed: its owner must open the link in the confirmation email.';
    case 'duplicate':
      return 'Another notification of this org has already emailed this event to the address.';
    case 'address_limit':
      return `The address has received ${limits.perAddress} emails of this org today, which is the daily maximum (UTC).`;
    case 'org_limit':
      return `The org has sent ${limits.perOrg} emails today, which is the daily maximum (UTC).`;
  }
}
