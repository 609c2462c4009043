import { hashSecret, newSecret } from '../../../platform/http/session-cookie.ts';
import { layOutMail } from '../../../platform/mail/mail-layout.ts';
import type { MailKind } from '../../../platform/mail/outbox.ts';
import { readOrgRow } from '../../orgs/org.reads.ts';
import { CONFIRMATION_MAIL } from './mail-address.service.ts';
import { addHash, findAddress } from './mail-address.store.ts';

const LIFE_MS = 3 * 24 * 3_600_000;

/**
 * Asks the owner of an address whether they want notifications. It includes no text that a member of the org can
 * choose.
 */
export function confirmationMail(publicUrl: string): MailKind {
  return {
    kind: CONFIRMATION_MAIL,
    lifeMs: LIFE_MS,
    async render(db, { subjectId, orgId }) {
      const asked = orgId === null ? undefined : await findAddress(db, orgId, subjectId);
      if (!asked || asked.confirmed_at || asked.declined_at) return undefined;
      const token = newSecret();
      await addHash(db, asked.org_id, asked.id, hashSecret(token));
      const { name } = await readOrgRow(db, asked.org_id);
      return { to: asked.address, ...content(publicUrl, name, token) };
    },
  };
}

function content(publicUrl: string, org: string, token: string) {
  return layOutMail({
    title: `Confirm this address for notifications from ${org}`,
    before: [`The org ${org} at ${new URL(publicUrl).host} wants to send notifications to this address.`],
    action: { label: 'Confirm or decline', url: `${publicUrl}/confirm-address/${token}` },
    after: ['If you do not know this org, ignore this email: no notifications are sent unless you confirm.'],
  });
}
