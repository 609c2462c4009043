import type { SummaryTemplate } from '../summary.ts';

const POLICY = { name: '{name}', path: 'policies/{name}' };
const CONTROL = { name: '{identifier}', path: 'controls/{identifier}' };
const CHANGE = { name: '{subject.name}', path: 'changes' };
const HOLD = { name: '{name}', path: 'settings/retention' };
const TRUST = { name: '{name}', path: 'settings/trust' };

/** Policies, controls, changes, trusted identities, and what is kept. */
export const RULES: Readonly<Record<string, SummaryTemplate>> = {
  'policy.created': { says: '{actor} created policy {name}', ...POLICY },
  'policy.updated': { says: '{actor} changed the description of policy {name}', ...POLICY },
  'policy.versioned': {
    says: '{actor} created version {version} of policy {name}[: {comment}]',
    name: '{name}',
    path: 'policies/{name}?version={version}',
  },
  'policy.archived': { says: '{actor} archived policy {name}', name: '{name}' },
  'control.created': { says: '{actor} created control {identifier} ({name})', ...CONTROL },
  'control.edited': { says: '{actor} edited control {identifier}, now version {version}', ...CONTROL },
  'control.tagged': {
    says: '{actor} changed tags of control {identifier}[: set {set_keys}][, removed {removed}]',
    ...CONTROL,
  },
  'control.archived': { says: '{actor} archived control {identifier}', ...CONTROL },
  'control.unarchived': { says: '{actor} unarchived control {identifier}', ...CONTROL },
  'change_request.created': { says: '{actor} requested a change to {subject.name}', ...CHANGE },
  'change_request.approved': {
    says: '{actor} approved the change to {subject.name} requested by {asked_by}',
    ...CHANGE,
  },
  'change_request.refused': {
    says: '{actor} refused the change to {subject.name} requested by {asked_by}: {reason}',
    ...CHANGE,
  },
  'change_request.withdrawn': { says: '{actor} withdrew a change to {subject.name}', ...CHANGE },
  'change_request.expired': {
    says: 'The change to {subject.name} requested by {asked_by} expired without approval',
    ...CHANGE,
  },
  'trust.key_added': { says: '{actor} added trusted key {name}', ...TRUST },
  'trust.key_removed': { says: '{actor} removed trusted key {name}', ...TRUST },
  'trust.identity_added': { says: '{actor} added trusted identity {name}', ...TRUST },
  'retention.changed': {
    says: '{actor} changed the retention minimum of {record_type} from {was} to {minimum_years} years',
    path: 'settings/retention',
  },
  'legal_hold.placed': { says: '{actor} placed legal hold {name}: {reason}', ...HOLD },
  'legal_hold.lifted': { says: '{actor} lifted legal hold {name}: {lift_reason}', ...HOLD },
  'trust.identity_removed': { says: '{actor} removed trusted identity {name}', ...TRUST },
};
