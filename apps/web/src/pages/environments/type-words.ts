import type { EnvironmentType } from '@waymark/contract';

export const TYPE_WORDS: Record<EnvironmentType, string> = {
  K8S: 'Kubernetes',
  ECS: 'ECS',
  S3: 'S3',
  lambda: 'Lambda',
  server: 'Server',
  docker: 'Docker',
  'cloudx-apps': 'Web and function apps',
  'azure-apps': 'Web and function apps',
  'cloud-run': 'Cloud Run',
  logical: 'Logical',
};
