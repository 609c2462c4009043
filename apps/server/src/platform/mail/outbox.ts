import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { newId } from '../ids.ts';
import { pollLoop } from '../jobs/poll-loop.ts';
import type { Logger } from '../log.ts';
import { systemClock } from '../time.ts';
import { isRefused, MAIL_CONNECTIONS, type Mail, type Mailer } from './mailer.ts';

/** What a mail is about; `orgId` is null for what belongs to no org. */
export interface MailSubject {
  readonly subjectId: string;
  readonly orgId: string | null;
}

export interface MailKind {
  readonly kind: string;
  /** How long after the request the mail is useful; then it is given up. */
  readonly lifeMs: number;
  /**
   * Renders the mail in the worker, just before it is sent. A secret in it is made at that moment, for each attempt,
   * and only its hash is stored. Undefined when there is nothing to send, or no longer.
   */
  render(db: Db, subject: MailSubject, now: Date): Promise<Mail | undefined>;
}

/** Enqueues a mail for a worker. To be called in the transaction of what the mail is about. */
export async function enqueueMail(
  db: Db,
  { kind, subjectId, orgId, now }: MailSubject & { readonly kind: string; readonly now: Date },
): Promise<void> {
  const mail = { id: newId(), kind, subject_id: subjectId, org_id: orgId, due_at: now, created_at: now };
  await db.insertInto('mail').values(mail).execute();
}

export interface MailParts {
  readonly db: Db;
  /** Absent when the installation has no mail server. */
  readonly mailer: Mailer | undefined;
  readonly kinds: readonly MailKind[];
  readonly log: Logger;
  readonly now?: () => Date;
  /** How long the mail server may take for one mail; less than the lease. */
  readonly sendMs?: number;
}

const POLL_MS = 500;
/**
 * Mails that one worker takes at a time: as many as it can send concurrently, so that none waits while its lease runs
 * out.
 */
const BATCH_SIZE = MAIL_CONNECTIONS;
/** A worker that has not recorded a result within this time is gone, and another takes over. */
const LEASE_MS = 60_000;
/** Rendering and waiting for a connection must end within this time, or the attempt is given up. */
const START_MS = 10_000;
/** Leaves 10 s of the lease to record the result. */
const SEND_MS = LEASE_MS - START_MS - 10_000;
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 15 * 60_000;

/** Sends mails until the signal is aborted. Several workers may do so at once. */
export async function runMails(parts: MailParts, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
  if (!parts.mailer) {
    parts.log.warn('WAYMARK_SMTP_URL is not set: no mail is sent, and nobody can sign in by link');
    return;
  }
  await pollLoop(
    {
      turn: async () => ((await sendDueMails(parts)) < BATCH_SIZE ? pollMs : 0),
      pollMs,
      log: parts.log,
      failure: 'mails wait',
    },
    signal,
  );
}

interface DueMail extends MailSubject {
  readonly id: string;
  readonly kind: string;
  readonly attempts: number;
  readonly createdAt: Date;
}

/** Sends due mails, at most one per connection, and returns how many it attempted. */
export async function sendDueMails(parts: MailParts): Promise<number> {
  const { mailer } = parts;
  if (!mailer) return 0;
  const now = (parts.now ?? systemClock)();
  const startBy = performance.now() + START_MS;
  const mails = await takeDueMails(parts.db, now);
  await Promise.all(mails.map((mail) => sendOne({ ...parts, mailer }, mail, now, startBy)));
  return mails.length;
}

async function sendOne(
  parts: MailParts & { mailer: Mailer },
  mail: DueMail,
  now: Date,
  startBy: number,
): Promise<void> {
  const { db, log, sendMs = SEND_MS } = parts;
  const kind = parts.kinds.find((known) => known.kind === mail.kind);
  // A worker of another version may know this kind.
  if (!kind) return;
  const about = { mail: mail.id, kind: mail.kind, attempts: mail.attempts };
  if (now.getTime() >= mail.createdAt.getTime() + kind.lifeMs) {
    log.warn(about, 'mail given up: it came to nothing in its time');
    return endMail(db, mail.id, { failed_at: now });
  }
  try {
    const rendered = await kind.render(db, mail, now);
    if (rendered)
      await parts.mailer.send(rendered, { share: 'installation', waitMs: startBy - performance.now(), sendMs });
    await endMail(db, mail.id, { sent_at: now });
  } catch (error) {
    if (isRefused(error)) {
      log.warn({ ...about, error: String(error) }, 'mail given up: it was refused');
      return endMail(db, mail.id, { failed_at: now });
    }
    log.warn({ ...about, error: String(error) }, 'mail not sent, it is tried again');
    await postpone(db, mail, now);
  }
}

/** Takes due mails for the time of a lease, so that they are sent outside any transaction. */
async function takeDueMails(db: Db, now: Date): Promise<DueMail[]> {
  const due = db
    .selectFrom('mail')
    .select('id')
    .where('sent_at', 'is', null)
    .where('failed_at', 'is', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(BATCH_SIZE)
    .forUpdate()
    .skipLocked();
  return db
    .updateTable('mail')
    .set({ attempts: sql`attempts + 1`, due_at: new Date(now.getTime() + LEASE_MS) })
    .where('id', 'in', due)
    .returning(['id', 'kind', 'subject_id as subjectId', 'org_id as orgId', 'attempts', 'created_at as createdAt'])
    .execute();
}

async function endMail(db: Db, id: string, end: { sent_at: Date } | { failed_at: Date }): Promise<void> {
  await db.updateTable('mail').set(end).where('id', '=', id).execute();
}

async function postpone(db: Db, { id, attempts }: DueMail, now: Date): Promise<void> {
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), MAX_WAIT_MS);
  await db
    .updateTable('mail')
    .set({ due_at: new Date(now.getTime() + waitMs) })
    .where('id', '=', id)
    .execute();
}
