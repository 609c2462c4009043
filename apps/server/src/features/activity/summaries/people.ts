import type { SummaryTemplate } from '../summary.ts';

const MEMBER = { name: '{login}', path: 'settings/members' };
const INVITATION = { name: '{email}', path: 'settings/members' };
const ACCOUNT = { name: '{name}', path: 'settings/service-accounts/{name}' };
const SSO = { path: 'settings/sso' };
const KEY = { name: '[{description} of ]{owner.name}', path: 'settings/[service-accounts/{account}][{own_keys}]' };
const WORKLOAD = { name: '{name}', path: 'settings/workload-identity' };

/** Members, how they sign in, and the accounts and keys that act for them. */
export const PEOPLE: Readonly<Record<string, SummaryTemplate>> = {
  'org.created': { says: '{actor} created the org {name}', name: '{name}', path: 'settings/organization' },
  'org.experimental_features_changed': {
    says: '{actor} turned beta features {on_or_off}',
    path: 'settings/organization',
  },
  'org.findings_threshold_changed': {
    says: '{actor} set the failing finding level to {fails_at}',
    path: 'settings/organization',
  },
  'org.refuse_unverified_changed': {
    says: '{actor} turned refusal of unverified evidence {on_or_off}',
    path: 'settings/organization',
  },
  'org.members_visible_changed': {
    says: '{actor} turned visibility of members to every role {on_or_off}',
    path: 'settings/organization',
  },
  'org.waiver_rules_changed': {
    says: '{actor} changed the rules for waivers and overrides',
    path: 'settings/organization',
  },
  'org.change_control_changed': {
    says: '{actor} set change control to {mode}',
    path: 'settings/organization',
  },
  'org.suspension_delay_changed': {
    says: '{actor} set keys to be suspended {hours} hours after their creator leaves by SCIM',
    path: 'settings/organization',
  },
  'org.storage_quota_changed': {
    says: 'The operator changed the storage quota of the org[ to {bytes} bytes][ and {rows} rows]',
    path: 'settings/organization',
  },
  'org.storage_warned': {
    says: 'Evidence reached {percent} percent of the storage quota',
    path: 'settings/organization',
  },
  'departure.scheduled': {
    says: 'The identity provider removed {login} or lowered their role: their keys are about to be suspended',
    ...MEMBER,
  },
  'membership.added': { says: '{actor} added {login} with the role {role}', ...MEMBER },
  'membership.changed': { says: '{actor} changed the role of {login} from {previous_role} to {role}', ...MEMBER },
  'membership.removed': { says: '{actor} removed {login} from the org', ...MEMBER },
  'invitation.created': { says: '{actor} invited {email} with the role {role}', ...INVITATION },
  'invitation.accepted': { says: '{login} accepted the invitation to {email}', ...INVITATION },
  'invitation.revoked': { says: '{actor} withdrew the invitation to {email}', ...INVITATION },
  'session.opened': { says: '{actor} signed in[ by {method}]', name: '{actor}', path: 'settings/sessions' },
  'session.revoked': { says: '{actor} ended a session', name: '{actor}', path: 'settings/sessions' },
  'sso.configured': { says: '{actor} configured single sign-on with {issuer}', name: '{issuer}', ...SSO },
  'sso.enforced': { says: '{actor} enforced single sign-on with {issuer}', name: '{issuer}', ...SSO },
  'sso.released': { says: '{actor} stopped enforcing single sign-on', name: '{issuer}', ...SSO },
  'sso.removed': { says: '{actor} removed single sign-on with {issuer}', name: '{issuer}', ...SSO },
  'sso.identity_linked': { says: '{email} was linked to an identity of {issuer}', name: '{email}', ...SSO },
  'scim.turned_on': { says: '{actor} turned on SCIM', ...SSO },
  'scim.turned_off': { says: '{actor} turned off SCIM', ...SSO },
  'scim.key_replaced': { says: '{actor} replaced the SCIM key', ...SSO },
  'scim.default_role_changed': {
    says: '{actor} changed the default role of provisioned users[ to {role}]',
    ...SSO,
  },
  'scim_user.provisioned': { says: 'The identity provider added {user_name}', name: '{user_name}', ...SSO },
  'scim_user.changed': { says: 'The identity provider changed {user_name}', name: '{user_name}', ...SSO },
  'scim_user.deprovisioned': { says: 'The identity provider removed {user_name}', name: '{user_name}', ...SSO },
  'scim_group.created': {
    says: 'The identity provider added group {display_name} with {members} members',
    name: '{display_name}',
    ...SSO,
  },
  'scim_group.changed': { says: 'The identity provider changed group {display_name}', name: '{display_name}', ...SSO },
  'scim_group.deleted': { says: 'The identity provider removed group {display_name}', name: '{display_name}', ...SSO },
  'scim_group.mapped': {
    says: '{actor} changed the role of group {display_name}[ to {role}]',
    name: '{display_name}',
    ...SSO,
  },
  'service_account.created': { says: '{actor} created service account {name} with the role {privilege}', ...ACCOUNT },
  'service_account.updated': {
    says: '{actor} updated service account {name}, which has the role {privilege}',
    ...ACCOUNT,
  },
  'service_account.deleted': {
    says: '{actor} deleted service account {name} and revoked its {revoked_keys} keys',
    name: '{name}',
  },
  'api_key.created': { says: '{actor} created a key of {owner.name}[: {description}]', ...KEY },
  'api_key.rotated': { says: '{actor} rotated a key of {owner.name}[: {description}]', ...KEY },
  'api_key.revoked': { says: '{actor} revoked a key of {owner.name}[: {description}]', ...KEY },
  'api_key.suspended': {
    says: 'A key of {owner.name}, created by {made_by.login}, was suspended[: {description}]',
    ...KEY,
  },
  'api_key.restored': { says: '{actor} restored a key of {owner.name}[: {description}]', ...KEY },
  'workload_identity.added': {
    says: '{actor} created workload identity {name}: jobs of {issuer} can act as {service_account}',
    ...WORKLOAD,
  },
  'workload_identity.removed': {
    says: '{actor} deleted a workload identity of {issuer} for {service_account} and revoked {keys_revoked} keys',
    ...WORKLOAD,
  },
  'workload_identity.suspended': {
    says: 'Workload identity {name} of {service_account}, created by {made_by.login}, was suspended',
    ...WORKLOAD,
  },
  'workload_identity.restored': {
    says: '{actor} restored workload identity {name} of {service_account}',
    ...WORKLOAD,
  },
  'workload_identity.exchanged': {
    says: 'A job of {issuer} exchanged its token for a key of {service_account}',
    name: '{service_account}',
    path: 'settings/workload-identity',
  },
  'user.default_org_changed': { says: '{actor} chose {org_name} as the default org', name: '{actor}' },
  'user.email_set': { says: '{actor} set the email address of a user to {email}', name: '{email}' },
  'journal.erased': { says: '{actor} erased the content of a {type} entry[: {reason}]' },
};
