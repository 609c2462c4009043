import { allows, type Permission, type Role } from '@waymark/contract';
import type { DialogId } from '../../lib/dialog-address.ts';
import { paths, withQuery } from '../../lib/paths.ts';
import type { Entry } from './places.ts';

/** Where the reader is, as far as it decides what can be attached. */
interface Here {
  readonly org: string;
  readonly role: Role | undefined;
  readonly isShared: boolean;
  readonly path: string;
}

interface Verb {
  readonly label: string;
  readonly href: string;
  readonly dialog?: DialogId;
  /** Left out if the role does not permit it; without one, everybody may. */
  readonly needs?: Permission;
  /** Whether it is only in orgs that have members. */
  readonly inShared?: boolean;
}

/** What the role of the reader lets them create, invite, and attach. Each opens the dialog of its page. */
export function verbsOf({ org, role, isShared, path }: Here): readonly Entry[] {
  if (role === undefined) return [];
  const verbs: readonly Verb[] = [
    ...attachments(org, path),
    {
      label: 'Create environment',
      href: paths.environments(org),
      dialog: 'create-environment',
      needs: 'report_environments',
    },
    { label: 'Create flow', href: paths.flows(org), dialog: 'create-flow', needs: 'record_evidence' },
    { label: 'Create policy', href: paths.newPolicy(org), needs: 'manage_policies' },
    { label: 'Create control', href: paths.controls(org), dialog: 'create-control', needs: 'manage_controls' },
    {
      label: 'Create environment notification',
      href: paths.notifications(org),
      dialog: 'create-environment-notification',
      needs: 'manage_notifications',
    },
    {
      label: 'Create flow notification',
      href: paths.notifications(org),
      dialog: 'create-flow-notification',
      needs: 'manage_notifications',
    },
    {
      label: 'Invite member',
      href: paths.settings(org, 'members'),
      dialog: 'invite-member',
      needs: 'manage_members',
      inShared: true,
    },
    {
      label: 'Create service account',
      href: paths.settings(org, 'service-accounts'),
      dialog: 'create-service-account',
      needs: 'manage_service_accounts',
      inShared: true,
    },
    { label: 'Create key', href: paths.settings(org, 'keys'), dialog: 'create-key' },
  ];
  return verbs
    .filter(({ needs, inShared }) => (needs === undefined || allows(role, needs)) && (!inShared || isShared))
    .map(({ label, href, dialog }) => ({ id: `verb ${label}`, label, href: withQuery(href, { open: dialog }) }));
}

/** A policy is attached from its page, or from that of an environment. */
function attachments(org: string, path: string): Verb[] {
  const inOrg = path.split('/').slice(2);
  const [kind, encoded = ''] = inOrg;
  const name = decoded(encoded);
  const common = { dialog: 'attach-policy', needs: 'manage_environments' } as const;
  if (kind === 'environments' && name !== '')
    return [{ ...common, label: `Attach policy to ${name}`, href: paths.environmentPolicies(org, name) }];
  if (kind === 'policies' && name !== '' && name !== 'new')
    return [{ ...common, label: `Attach policy ${name}`, href: paths.policy(org, name) }];
  return [];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
