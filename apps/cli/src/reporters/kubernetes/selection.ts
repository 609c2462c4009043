import { usageError } from '../../run/cli-error.ts';

export interface KubernetesOptions {
  /** Names, or patterns: texts with an anchor, such as `^team-` or `-prod$`. All unless given. */
  readonly namespaces?: readonly string[];
  readonly excludeNamespaces?: readonly string[];
  readonly labelSelector?: string;
}

export interface Selection {
  /** What is listed and watched. A namespace each if all are named, as rights may go no further. */
  readonly paths: readonly string[];
  readonly labelSelector: string | undefined;
  readonly includes: (namespace: string) => boolean;
}

export function selectionOf(options: KubernetesOptions): Selection {
  const { namespaces = [], excludeNamespaces = [], labelSelector } = options;
  const isWanted = namespaces.length === 0 ? () => true : anyOf(namespaces);
  const isExcluded = anyOf(excludeNamespaces);
  const includes = (namespace: string) => isWanted(namespace) && !isExcluded(namespace);
  const areNamed = namespaces.length > 0 && !namespaces.some(isPattern);
  const paths = areNamed ? [...new Set(namespaces)].filter(includes).map(pathOf) : ['/api/v1/pods'];
  if (paths.length === 0) throw usageError('All selected namespaces are also excluded');
  return { paths, labelSelector, includes };
}

function pathOf(namespace: string): string {
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(namespace)) {
    throw usageError(
      `"${namespace}" is not the name of a namespace`,
      'A pattern begins with "^" or ends with "$", such as "^team-.*$"',
    );
  }
  return `/api/v1/namespaces/${namespace}/pods`;
}

function isPattern(text: string): boolean {
  return text.startsWith('^') || text.endsWith('$');
}

function anyOf(texts: readonly string[]): (namespace: string) => boolean {
  const names = new Set(texts.filter((text) => !isPattern(text)));
  const patterns = texts.filter(isPattern).map(patternOf);
  return (namespace) => names.has(namespace) || patterns.some((pattern) => pattern.test(namespace));
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (cause) {
    throw usageError(`"${text}" is not a pattern for namespaces: ${(cause as Error).message}`);
  }
}
