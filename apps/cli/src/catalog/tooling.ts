import type { CatalogGroup } from './catalog-entry.ts';

export const tooling: CatalogGroup = {
  title: 'Tooling',
  entries: [
    { path: 'init', summary: 'Set up a repository and its pipeline', load: () => import('../commands/init/init.ts') },
    {
      path: 'doctor',
      summary: 'Diagnose configuration and connection problems',
      load: () => import('../commands/doctor/doctor.ts'),
    },
    {
      path: 'ci context',
      summary: 'Show the detected facts of this build and their sources',
      load: () => import('../commands/ci/context.ts'),
    },
    {
      path: 'spool status',
      summary: 'List spooled evidence',
      load: () => import('../commands/spool/status.ts'),
    },
    { path: 'spool push', summary: 'Send spooled evidence', load: () => import('../commands/spool/push.ts') },
    {
      path: 'spool show',
      summary: 'Show a spool entry',
      load: () => import('../commands/spool/show.ts'),
    },
    {
      path: 'spool retry',
      summary: 'Requeue a refused spool entry',
      load: () => import('../commands/spool/retry.ts'),
    },
    {
      path: 'spool drop',
      summary: 'Delete a spool entry',
      load: () => import('../commands/spool/drop.ts'),
    },
    {
      path: 'api',
      summary: 'Make an authenticated API request',
      load: () => import('../commands/api/api.ts'),
    },
    {
      path: 'open',
      summary: 'Open a page in the browser',
      load: () => import('../commands/open/open.ts'),
    },
    {
      path: 'config',
      summary: 'Show the effective settings and their sources',
      load: () => import('../commands/config/config.ts'),
    },
    {
      path: 'version',
      summary: 'Show the versions of this program and the service',
      load: () => import('../commands/version/version.ts'),
    },
  ],
};
