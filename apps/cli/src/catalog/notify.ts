import type { CatalogGroup } from './catalog-entry.ts';

export const notify: CatalogGroup = {
  title: 'Notifications',
  entries: [
    {
      path: 'notify list',
      summary: 'List notifications',
      load: () => import('../commands/notify/list.ts'),
    },
    {
      path: 'notify get',
      summary: 'Show a notification and its targets',
      load: () => import('../commands/notify/get.ts'),
    },
    {
      path: 'notify create',
      summary: 'Create or replace a notification',
      load: () => import('../commands/notify/create.ts'),
    },
    {
      path: 'notify update',
      summary: 'Change a notification',
      load: () => import('../commands/notify/update.ts'),
    },
    {
      path: 'notify delete',
      summary: 'Delete a notification',
      load: () => import('../commands/notify/delete.ts'),
    },
    {
      path: 'notify test',
      summary: 'Send a test message',
      load: () => import('../commands/notify/test.ts'),
    },
    {
      path: 'notify config get',
      summary: 'Show the recipients of a system notification',
      load: () => import('../commands/notify/config-get.ts'),
    },
    {
      path: 'notify config set',
      summary: 'Set the recipients of a system notification',
      load: () => import('../commands/notify/config-set.ts'),
    },
    {
      path: 'notify config delete',
      summary: 'Restore the default recipients',
      load: () => import('../commands/notify/config-delete.ts'),
    },
    {
      path: 'notify deliveries list',
      summary: 'List deliveries',
      load: () => import('../commands/notify/deliveries-list.ts'),
    },
    {
      path: 'notify deliveries get',
      summary: 'Show a delivery and its attempts',
      load: () => import('../commands/notify/deliveries-get.ts'),
    },
    {
      path: 'notify deliveries redeliver',
      summary: 'Redeliver messages',
      load: () => import('../commands/notify/deliveries-redeliver.ts'),
    },
    {
      path: 'notify secret get',
      summary: 'Print the signing secret of a webhook',
      load: () => import('../commands/notify/secret-get.ts'),
    },
    {
      path: 'notify secret rotate',
      summary: 'Rotate the signing secret of a webhook',
      load: () => import('../commands/notify/secret-rotate.ts'),
    },
    {
      path: 'webhook verify',
      summary: 'Verify the signature of a saved request',
      load: () => import('../commands/webhook/verify.ts'),
    },
    {
      path: 'webhook listen',
      summary: 'Receive and print messages on this machine',
      load: () => import('../commands/webhook/listen.ts'),
    },
    {
      path: 'webhook keys',
      summary: 'List the public keys that sign messages',
      load: () => import('../commands/webhook/keys.ts'),
    },
    {
      path: 'events tail',
      summary: 'Stream events as they happen',
      load: () => import('../commands/events/tail.ts'),
    },
  ],
};
