import type { SignInConfig } from '../../platform/http/app.ts';
import { hashSecret, newSecret } from '../../platform/http/session-cookie.ts';
import { layOutMail } from '../../platform/mail/mail-layout.ts';
import type { MailKind } from '../../platform/mail/outbox.ts';
import { findUserByEmail } from '../users/user.reads.ts';
import { LINK_MAIL, LINK_MS } from './sign-in.service.ts';
import { addHash, findLinkById } from './sign-in.store.ts';

/** The requested sign-in link. An address that may not sign in gets none, and the requester does not learn that. */
export function signInMail({ publicUrl, signUp }: { publicUrl: string; signUp: SignInConfig['signUp'] }): MailKind {
  return {
    kind: LINK_MAIL,
    lifeMs: LINK_MS,
    async render(db, { subjectId }, now) {
      const link = await findLinkById(db, subjectId);
      if (!link || link.used_at || link.expires_at <= now) return undefined;
      const user = await findUserByEmail(db, link.email);
      if (!user && signUp === 'invited') return undefined;
      const token = newSecret();
      await addHash(db, link.id, hashSecret(token));
      // The account's own spelling: what was typed may be a look-alike.
      return { to: user?.email ?? link.email, ...content(publicUrl, token) };
    },
  };
}

function content(publicUrl: string, token: string) {
  const { host } = new URL(publicUrl);
  return layOutMail({
    title: 'Sign in to Waymark',
    before: [
      `Someone requested to sign in at ${host} with this address.`,
      'If it was you, open this link in the browser in which you requested it. It works once, within 10 minutes.',
    ],
    action: { label: 'Sign in', url: `${publicUrl}/sign-in/link?token=${token}` },
    after: ['If it was not you, ignore this email and do not share the link: nobody can sign in without it.'],
  });
}
