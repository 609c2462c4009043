import { inert, nameText } from '@waymark/messages';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Db } from '../../../platform/db/db.ts';
import { layOutMail } from '../../../platform/mail/mail-layout.ts';
import type { MailKind } from '../../../platform/mail/outbox.ts';
import { findAdmin, insertMailsToAdmins } from '../admin-mail.service.ts';
import { type DepartureView, listDepartures } from './departure.reads.ts';

const KIND = 'departure';
const LIFE_MS = 3 * 24 * 3_600_000;
/** A provider removes many people one after another: one mail reports them together. */
const COLLECTED_FOR_MS = 5 * 60_000;
const SHOWN = 20;
const NAME_MAX_LENGTH = 120;
const ACCOUNTS_SHOWN = 5;

/** Enqueues mails to the admins, in the transaction in which the identity provider removes somebody. */
export async function enqueueDepartureMails(ctx: Ctx): Promise<void> {
  const now = ctx.now();
  await insertMailsToAdmins(ctx.db, ctx.org, { kind: KIND, now, dueAt: new Date(now.getTime() + COLLECTED_FOR_MS) });
}

/** Tells an admin that keys are suspended, or will be, before the pipelines that use them stop unnoticed. */
export function departureMail(publicUrl: string): MailKind {
  return {
    kind: KIND,
    lifeMs: LIFE_MS,
    async render(db, { subjectId, orgId }, now) {
      if (orgId === null) return undefined;
      const admin = await findAdmin(db, orgId, subjectId);
      const last = await findLastSent(db, orgId, subjectId);
      const all = await listDepartures(db, orgId, now);
      const unreported = all.filter(({ departed_at }) => last === undefined || departed_at > last);
      if (!admin || unreported.length === 0) return undefined;
      return { to: admin.email, ...content(publicUrl, admin.org_name, unreported) };
    },
  };
}

/** When this person last got a mail of this kind. */
async function findLastSent(db: Db, org: string, user: string): Promise<Date | undefined> {
  const sent = await db
    .selectFrom('mail')
    .select('sent_at')
    .where('org_id', '=', org)
    .where('kind', '=', KIND)
    .where('subject_id', '=', user)
    .where('sent_at', 'is not', null)
    .orderBy('sent_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return sent?.sent_at ?? undefined;
}

function content(publicUrl: string, org: string, departures: readonly DepartureView[]) {
  const more = departures.length > SHOWN ? [`And ${departures.length - SHOWN} more people.`] : [];
  const isPending = departures.some(({ settled_at }) => settled_at === null);
  return layOutMail({
    title: isPending ? `Keys of ${org} are about to be suspended` : `Keys of ${org} are suspended`,
    before: [
      'The identity provider removed these people from the org, or gave them a lower role:',
      ...departures.slice(0, SHOWN).map(described),
      ...more,
    ],
    action: {
      label: 'Review service accounts',
      url: `${publicUrl}/${encodeURIComponent(org)}/settings/service-accounts`,
    },
    after: ['Pipelines that use these keys stop working. To keep a key, restore it: it then counts as created by you.'],
  });
}

function described({ login, display_name, settled_at, suspend_at, ...made }: DepartureView): string {
  const name = inert(nameText(display_name ?? login, NAME_MAX_LENGTH));
  const time = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const state = settled_at === null ? `will be suspended at ${time(suspend_at)}` : `suspended at ${time(settled_at)}`;
  return `${name}: ${grantWords(made)}, ${state}`;
}

function grantWords(made: Pick<DepartureView, 'keys' | 'workload_identities' | 'service_accounts'>): string {
  const { keys, workload_identities: identities, service_accounts: accounts } = made;
  const parts = [
    ...(keys > 0 ? [keys === 1 ? '1 key' : `${keys} keys`] : []),
    ...(identities > 0 ? [identities === 1 ? '1 workload identity' : `${identities} workload identities`] : []),
  ];
  const named = accounts.slice(0, ACCOUNTS_SHOWN).join(', ');
  const more = accounts.length - ACCOUNTS_SHOWN;
  return `${parts.join(' and ')} of ${named}${more > 0 ? ` and ${more} more service accounts` : ''}`;
}
