import type { Ctx } from '../../platform/ctx.ts';
import { FOR_ADMINS, seesAll } from '../activity/feed/entry-access.reads.ts';

/**
 * Entries with addresses of people, and with the roles of those who left. Their summaries are for everyone, but a proof
 * contains the payload.
 */
const WITH_PEOPLE = /^(departure|mail_address|mail_refusal|org_mail_refusal|user)\./;

/** As PostgreSQL reads it, too. */
export const PROOF_FOR_ADMINS = new RegExp(`${FOR_ADMINS.source}|${WITH_PEOPLE.source}`);

export function mayProve(ctx: Ctx, type: string): boolean {
  return seesAll(ctx) || !PROOF_FOR_ADMINS.test(type);
}
