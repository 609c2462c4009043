import type { SummaryTemplate } from '../summary.ts';

const NOTIFICATION = { name: '{name}', path: 'notifications' };
/** The name of a target's notification is looked up. */
const TARGET = { name: '[{host} of ]{source_name}', path: 'notifications' };

/** Notifications and their deliveries. People's addresses are left out: everyone who may read the org reads this. */
export const MESSAGES: Readonly<Record<string, SummaryTemplate>> = {
  'notification.created': { says: '{actor} created notification {name}[ for {scopes.name}]', ...NOTIFICATION },
  'notification.updated': { says: '{actor} changed notification {name}', ...NOTIFICATION },
  'notification.deleted': { says: '{actor} deleted notification {name}', ...NOTIFICATION },
  'notification_config.set': { says: '{actor} said who is told of keys that expire', path: 'notifications' },
  'notification_config.removed': {
    says: '{actor} went back to the recipients that the service works out for keys that expire',
    path: 'notifications',
  },
  'target.tested': {
    says: '{actor} sent a test message[ to {host}][ for notification {source_name}]',
    ...TARGET,
  },
  'target.secret_rotated': {
    says: '{actor} replaced the secret of the webhook at {host}',
    name: '{host}',
    path: 'notifications',
  },
  'target.disabled': {
    says: 'A target[ at {host}][ of notification {source_name}] was given up: {because}',
    ...TARGET,
  },
  'delivery.redelivered': {
    says: '{actor} had a message about {event_type} sent again',
    path: 'deliveries/{subject_id}',
  },
  'deliveries.redelivered': { says: '{actor} had {redelivered} messages sent again', path: 'deliveries' },
  'mail_address.confirmed': {
    says: 'Somebody confirmed their address for mail from notifications of the org',
    path: 'notifications',
  },
  'mail_address.declined': {
    says: 'Somebody declined mail from notifications of the org',
    path: 'notifications',
  },
  'mail_refusal.recorded': {
    says: 'Somebody asked for no more mail from notification[ {notification}]',
    name: '{notification}',
    path: 'notifications',
  },
  'org_mail_refusal.recorded': {
    says: 'Somebody asked for no more mail from any notification of the org',
    path: 'notifications',
  },
};
