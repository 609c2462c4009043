import type { CatalogGroup } from './catalog-entry.ts';

export const snapshots: CatalogGroup = {
  title: 'Snapshots',
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
      summary: 'Report the paths listed in a file',
      load: () => import('../commands/snapshot/paths.ts'),
    },
    {
      path: 'snapshot path',
      summary: 'Report one file or directory',
      load: () => import('../commands/snapshot/path.ts'),
    },
    {
      path: 'snapshot server',
      summary: 'Report files and directories on a server',
      load: () => import('../commands/snapshot/server.ts'),
    },
    {
      path: 'snapshot file',
      summary: 'Send a report from a JSON file',
      load: () => import('../commands/snapshot/file.ts'),
    },
  ],
};
