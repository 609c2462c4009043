import type { ProviderId } from '@waymark/ci-context';
import { azureData, azureProperty, githubData, githubProperty, teamcityValue } from './escape.ts';

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
}

/** Returns the lines that make a CI system show a message at the build or in the code; none where it can't. */
export function annotationLines(provider: ProviderId, annotation: Annotation): string[] {
  switch (provider) {
    case 'github':
    case 'gitea':
      return [githubLine(annotation)];
    case 'azure':
      return annotation.level === 'notice' ? [] : [azureLine(annotation)];
    case 'teamcity':
      return [teamcityLine(annotation)];
    default:
      return [];
  }
}

function githubLine({ level, title, message, file, line }: Annotation): string {
  const properties = [
    `title=${githubProperty(title)}`,
    ...(file === undefined ? [] : [`file=${githubProperty(file)}`]),
    ...(isLine(line) ? [`line=${line}`] : []),
  ];
  return `::${level} ${properties.join(',')}::${githubData(message)}`;
}

function azureLine({ level, title, message, file, line }: Annotation): string {
  const properties = [
    `type=${level}`,
    ...(file === undefined ? [] : [`sourcepath=${azureProperty(file)}`]),
    ...(isLine(line) ? [`linenumber=${line}`] : []),
  ];
  return `##vso[task.logissue ${properties.join(';')}]${azureData(`${title}: ${message}`)}`;
}

const TEAMCITY_STATUS = { error: 'ERROR', warning: 'WARNING', notice: 'NORMAL' } as const;

function teamcityLine({ level, title, message, file, line }: Annotation): string {
  const place = file === undefined ? '' : `${file}${isLine(line) ? `:${line}` : ''}: `;
  return `##teamcity[message text='${teamcityValue(`${title}: ${place}${message}`)}' status='${TEAMCITY_STATUS[level]}']`;
}

function isLine(line: number | undefined): line is number {
  return line !== undefined && Number.isSafeInteger(line) && line > 0;
}
