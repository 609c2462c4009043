import type { EnvironmentType } from '@waymark/contract';

/** The command that reports an environment. */
export function reportCommand(type: EnvironmentType, env: string, org: string): string {
  switch (type) {
    case 'K8S':
      return `waymark snapshot k8s ${env} --org ${org}`;
    case 'docker':
      return `waymark snapshot docker ${env} --org ${org}`;
    case 'server':
      return `waymark snapshot server ${env} /opt/app --org ${org}`;
    case 'logical':
      return `waymark env join ${env} MEMBER --org ${org}`;
    default:
      return `waymark snapshot file ${env} report.json --type ${type} --org ${org}`;
  }
}
