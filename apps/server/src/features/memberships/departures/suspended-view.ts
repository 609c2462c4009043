import { type ChangedMember, SUSPENDED_NAMED } from '@waymark/contract';
import type { Suspended } from '../../api-keys/suspension.service.ts';

export function toSuspended(suspended: readonly Suspended[]): Pick<ChangedMember, 'suspended' | 'suspended_count'> {
  return {
    suspended: suspended
      .slice(0, SUSPENDED_NAMED)
      .map(({ kind, id, name, serviceAccount: service_account }) => ({ kind, id, name, service_account })),
    suspended_count: suspended.length,
  };
}

/** Follows the message about who left. */
export function suspendedText(suspended: readonly Suspended[]): string {
  if (suspended.length === 0) return '';
  const named = suspended.slice(0, SUSPENDED_NAMED).map(nameOf);
  const more = suspended.length - named.length;
  return `. Suspended until an admin restores it: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function nameOf({ kind, name, serviceAccount }: Suspended): string {
  if (kind === 'scim_key') return 'the SCIM key, which an admin must replace';
  if (kind === 'workload_identity') return `workload identity '${name}' of service account '${serviceAccount}'`;
  return `key '${name}' of service account '${serviceAccount}'`;
}
