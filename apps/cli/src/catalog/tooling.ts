import type { CatalogGroup } from './catalog-entry.ts';

export const tooling: CatalogGroup = {
  title: 'Tooling',
  entries: [
    { path: 'init', summary: 'Set up a repository and its pipeline', load: () => import('../commands/init/init.ts') },
    {
      path: 'doctor',
      summary: 'Find out what is in the way, and how to fix it',
      load: () => import('../commands/doctor/doctor.ts'),
    },
    {
      path: 'ci context',
      summary: 'Show what is known about this build, and from where',
      load: () => import('../commands/ci/context.ts'),
    },
    {
      path: 'spool status',
      summary: 'List what was kept and not delivered yet',
      load: () => import('../commands/spool/status.ts'),
    },
    { path: 'spool push', summary: 'Send what waits', load: () => import('../commands/spool/push.ts') },
    {
      path: 'spool show',
      summary: 'Show one thing that is kept',
      load: () => import('../commands/spool/show.ts'),
    },
    {
      path: 'spool retry',
      summary: 'Let what was refused wait again',
      load: () => import('../commands/spool/retry.ts'),
    },
    {
      path: 'spool drop',
      summary: 'Forget something that is kept',
      load: () => import('../commands/spool/drop.ts'),
    },
    {
      path: 'api',
      summary: 'Send a request of your own',
      load: () => import('../commands/api/api.ts'),
    },
    {
      path: 'open',
      summary: 'Open the page about something',
      load: () => import('../commands/open/open.ts'),
    },
    {
      path: 'config',
      summary: 'Show the settings in force, and where each is from',
      load: () => import('../commands/config/config.ts'),
    },
    {
      path: 'version',
      summary: 'Show the versions of this program and of the service',
      load: () => import('../commands/version/version.ts'),
    },
  ],
};
