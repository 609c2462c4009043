import { hashSecret, newSecret } from '../../../platform/http/session-cookie.ts';
import { layOutMail } from '../../../platform/mail/mail-layout.ts';
import type { MailKind } from '../../../platform/mail/outbox.ts';
import { readOrgRow } from '../../orgs/org.reads.ts';
import { INVITATION_MAIL, INVITATION_MS } from './invitation.service.ts';
import { addCodeHash, type FoundInvitation, findInvitation } from './invitation.store.ts';
import { articleOf } from './invitation-view.ts';

/** The mail to an invited person. Its code is made here, for each attempt, and nobody else knows it. */
export function invitationMail(publicUrl: string): MailKind {
  return {
    kind: INVITATION_MAIL,
    lifeMs: INVITATION_MS,
    async render(db, { subjectId }, now) {
      const invitation = await findInvitation(db, subjectId, now);
      if (!invitation?.is_open) return undefined;
      const code = newSecret();
      await addCodeHash(db, invitation.id, hashSecret(code));
      const { name } = await readOrgRow(db, invitation.org_id);
      return { to: invitation.email, ...content(publicUrl, name, invitation, code) };
    },
  };
}

function content(publicUrl: string, org: string, invitation: FoundInvitation, code: string) {
  const { id, invited_by, role, expires_at } = invitation;
  return layOutMail({
    title: `You are invited to ${org} on Waymark`,
    before: [
      `${invited_by} invites you to join the org ${org} at ${new URL(publicUrl).host} as ${articleOf(role)} ${role}.`,
    ],
    action: { label: 'View invitation', url: `${publicUrl}/invitations/${id}?code=${code}` },
    after: [
      `You can use this link once, until ${expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
      'Do not share this link: anyone who has it can accept the invitation in your place. If you did not expect ' +
        'it, ignore this email.',
    ],
  });
}
