import type { SummaryTemplate } from '../summary.ts';

const NOTIFICATION = { name: '{name}', path: 'notifications' };
/** The name of a target's notification is looked up. */
const TARGET = { name: '[{host} of ]{source_name}', path: 'notifications' };

/** Notifications and their deliveries. People's addresses are left out: everyone who may read the org reads this. */
export const MESSAGES: Readonly<Record<string, SummaryTemplate>> = {
  'notification.created': { says: '{actor} created notification {name}[ for {scopes.name}]', ...NOTIFICATION },
  'notification.updated': { says: '{actor} updated notification {name}', ...NOTIFICATION },
  'notification.deleted': { says: '{actor} deleted notification {name}', ...NOTIFICATION },
  'notification_config.set': {
    says: '{actor} configured the recipients of key expiry warnings',
    path: 'notifications',
  },
  'notification_config.removed': {
    says: '{actor} restored the default recipients of key expiry warnings',
    path: 'notifications',
  },
  'target.tested': {
    says: '{actor} sent a test message[ to {host}][ for notification {source_name}]',
    ...TARGET,
  },
  'target.secret_rotated': {
    says: '{actor} rotated the secret of the webhook at {host}',
    name: '{host}',
    path: 'notifications',
  },
  'target.disabled': {
    says: 'A target[ at {host}][ of notification {source_name}] was disabled: {because}',
    ...TARGET,
  },
  'delivery.redelivered': {
    says: '{actor} redelivered a message about {event_type}',
    path: 'deliveries/{subject_id}',
  },
  'deliveries.redelivered': { says: '{actor} redelivered {redelivered} messages', path: 'deliveries' },
  'mail_address.confirmed': {
    says: 'An address was confirmed for notification emails of the org',
    path: 'notifications',
  },
  'mail_address.declined': {
    says: 'An address declined notification emails of the org',
    path: 'notifications',
  },
  'mail_refusal.recorded': {
    says: 'An address unsubscribed from notification[ {notification}]',
    name: '{notification}',
    path: 'notifications',
  },
  'org_mail_refusal.recorded': {
    says: 'An address unsubscribed from all notifications of the org',
    path: 'notifications',
  },
};
