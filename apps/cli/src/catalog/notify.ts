import type { CatalogGroup } from './catalog-entry.ts';

export const notify: CatalogGroup = {
  title: 'Notify',
  entries: [
    {
      path: 'notify list',
      summary: 'List the notifications',
      load: () => import('../commands/notify/list.ts'),
    },
    {
      path: 'notify get',
      summary: 'Show a notification and its targets',
      load: () => import('../commands/notify/get.ts'),
    },
    {
      path: 'notify create',
      summary: 'Tell somebody what happens',
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
      summary: 'Show who is told of what the service raises',
      load: () => import('../commands/notify/config-get.ts'),
    },
    {
      path: 'notify config set',
      summary: 'Say who is told of what the service raises',
      load: () => import('../commands/notify/config-set.ts'),
    },
    {
      path: 'notify config delete',
      summary: 'Go back to the recipients that are worked out',
      load: () => import('../commands/notify/config-delete.ts'),
    },
    {
      path: 'notify deliveries list',
      summary: 'List what was sent',
      load: () => import('../commands/notify/deliveries-list.ts'),
    },
    {
      path: 'notify deliveries get',
      summary: 'Show a delivery with all attempts',
      load: () => import('../commands/notify/deliveries-get.ts'),
    },
    {
      path: 'notify deliveries redeliver',
      summary: 'Send again',
      load: () => import('../commands/notify/deliveries-redeliver.ts'),
    },
    {
      path: 'notify secret get',
      summary: 'Print the secret of a webhook',
      load: () => import('../commands/notify/secret-get.ts'),
    },
    {
      path: 'notify secret rotate',
      summary: 'Replace the secret of a webhook',
      load: () => import('../commands/notify/secret-rotate.ts'),
    },
    {
      path: 'webhook verify',
      summary: 'Tell whether a saved request is genuine',
      load: () => import('../commands/webhook/verify.ts'),
    },
    {
      path: 'webhook listen',
      summary: 'Receive and print messages on this machine',
      load: () => import('../commands/webhook/listen.ts'),
    },
    {
      path: 'webhook keys',
      summary: 'List the public keys that messages are signed with',
      load: () => import('../commands/webhook/keys.ts'),
    },
    {
      path: 'events tail',
      summary: 'Print what happens, as it happens',
      load: () => import('../commands/events/tail.ts'),
    },
  ],
};
