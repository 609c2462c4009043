import { allows } from '@waymark/contract';
import type { Ctx } from '../../../platform/ctx.ts';

/**
 * Entries about members, sign-in, service accounts and keys are only for those who may manage them, in the stream as
 * elsewhere.
 */
export const FOR_ADMINS =
  /^(membership|invitation|session|sso|scim\w*|service_account|api_key|workload_identity|notification_config)\./;

export function seesAll({ actor }: Ctx): boolean {
  return actor.kind !== 'system' && allows(actor.role, 'manage_members');
}
