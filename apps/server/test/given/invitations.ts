import { createInvitation, type Role } from '@waymark/contract';
import { mailKinds } from '../../src/app/worker.ts';
import { NO_QUOTA } from '../../src/platform/http/storage-quota.ts';
import { openMailer } from '../../src/platform/mail/mailer.ts';
import { sendDueMails } from '../../src/platform/mail/outbox.ts';
import { noLog, type TestApi, type TestOrg } from '../harness.ts';
import { linkIn, startMailServer } from '../mail-server.ts';
import { takeAll } from './turns.ts';

export interface Invited {
  readonly id: string;
  /** From the mail. */
  readonly code: string;
  /** Path of the page that the mail links to. */
  readonly link: string;
}

/** Invites people by mails that are really delivered. */
export async function givenInvitations(api: TestApi) {
  const mails = await startMailServer();
  const mailer = openMailer({ url: mails.url, from: 'Waymark <waymark@waymark.test>' });
  const kinds = mailKinds({ publicUrl: 'http://waymark.test', signUp: 'invited', storageQuota: NO_QUOTA });
  const parts = { db: api.db, mailer, kinds, log: noLog, now: () => api.clock.now };
  /** Sends all: other tests may have left some. */
  const deliver = () => takeAll(() => sendDueMails(parts));
  const invited = async (org: TestOrg, email: string, role: Role = 'member'): Promise<Invited> => {
    const params = { org: org.name };
    const { body } = await api.call(createInvitation, { params, key: org.keys.admin, body: { email, role } });
    mails.received.length = 0;
    await deliver();
    const url = new URL(linkIn(await mails.mailTo(email.toLowerCase())));
    return { id: body.id, code: url.searchParams.get('code') ?? '', link: url.pathname + url.search };
  };
  return { mails, deliver, invited };
}
