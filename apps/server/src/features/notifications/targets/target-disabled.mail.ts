import { inert, nameText } from '@waymark/messages';
import type { Db } from '../../../platform/db/db.ts';
import { layOutMail } from '../../../platform/mail/mail-layout.ts';
import type { MailKind } from '../../../platform/mail/outbox.ts';
import { findAdmin, insertMailsToAdmins } from '../../memberships/admin-mail.service.ts';
import { type DisabledTarget, listUnreported } from './target-disabled.store.ts';

const KIND = 'target-disabled';
const LIFE_MS = 3 * 24 * 3_600_000;
/** When a server dies, all targets there are disabled within a short time. */
const COLLECTED_FOR_MS = 5 * 60_000;
const SHOWN = 20;
const NAME_MAX = 120;

/** Enqueues a mail to the admins of an org, in the transaction that disables a target. */
export async function enqueueToAdmins(db: Db, org: string, now: Date): Promise<void> {
  await insertMailsToAdmins(db, org, { kind: KIND, now, dueAt: new Date(now.getTime() + COLLECTED_FOR_MS) });
}

/** Tells an admin that messages do not arrive, and that no more are sent. */
export function targetDisabledMail(publicUrl: string): MailKind {
  return {
    kind: KIND,
    lifeMs: LIFE_MS,
    async render(db, { subjectId, orgId }) {
      if (orgId === null) return undefined;
      const admin = await findAdmin(db, orgId, subjectId);
      const targets = await listUnreported(db, orgId, subjectId, { kind: KIND, limit: SHOWN + 1 });
      if (!admin || targets.length === 0) return undefined;
      return { to: admin.email, ...content(publicUrl, admin.org_name, targets) };
    },
  };
}

function content(publicUrl: string, org: string, targets: readonly DisabledTarget[]) {
  const more = targets.length > SHOWN ? ['There are more.'] : [];
  return layOutMail({
    title: `Notifications of ${org} cannot be delivered`,
    before: ['Waymark no longer sends messages to these targets:', ...targets.slice(0, SHOWN).map(described), ...more],
    action: {
      label: 'Show notifications',
      url: `${publicUrl}/${encodeURIComponent(org)}/settings/notifications`,
    },
    after: [
      'Waiting messages were not sent. Once the receiver works again, save the notification to enable its ' +
        'targets, then redeliver the messages.',
    ],
  });
}

function described({ source_name, kind, url_host, disabled_because }: DisabledTarget): string {
  const from =
    source_name === null ? 'warnings about API keys' : `the notification “${inert(nameText(source_name, NAME_MAX))}”`;
  const because = disabled_because === null ? '' : `: ${disabled_because}`;
  return `${kind === 'EMAIL' ? 'Mail' : (url_host ?? kind)}, of ${from}${because}`;
}
