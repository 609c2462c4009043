import type { CatalogGroup } from './catalog-entry.ts';

export const snapshots: CatalogGroup = {
  title: 'What runs',
  entries: [
    {
      path: 'snapshot k8s',
      summary: 'Report what runs in a Kubernetes cluster',
      load: () => import('../commands/snapshot/k8s.ts'),
    },
    {
      path: 'snapshot docker',
      summary: 'Report what runs on a Docker host',
      load: () => import('../commands/snapshot/docker.ts'),
    },
    {
      path: 'snapshot paths',
      summary: 'Report the paths that a file names',
      load: () => import('../commands/snapshot/paths.ts'),
    },
    {
      path: 'snapshot path',
      summary: 'Report one file or directory',
      load: () => import('../commands/snapshot/path.ts'),
    },
    {
      path: 'snapshot server',
      summary: 'Report files and directories of a server',
      load: () => import('../commands/snapshot/server.ts'),
    },
    {
      path: 'snapshot file',
      summary: 'Report what something else found out',
      load: () => import('../commands/snapshot/file.ts'),
    },
  ],
};
