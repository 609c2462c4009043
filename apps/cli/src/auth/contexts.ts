import { CliError, usageError } from '../run/cli-error.ts';
import { readUserFile, type UserContext } from '../run/config-files.ts';
import type { Io } from '../run/io.ts';
import { forgetContext } from './credentials.ts';
import { changeYaml } from './write-yaml.ts';

type Place = Pick<Io, 'env' | 'home'>;

export function requireContext(place: Place, name: string): UserContext {
  const { contexts, path } = readUserFile(place);
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (context) return context;
  throw new CliError('notFound', `No context '${name}' in ${path}`, {
    fix: `Existing contexts: ${Object.keys(contexts).join(', ') || 'none'}`,
  });
}

export function requireContextName(name: string): void {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._@:-]{0,99}$/.test(name)) {
    throw usageError(
      `'${name}' is not a valid context name`,
      'Use up to 100 letters, digits, and . _ @ : -, beginning with a letter or a digit',
    );
  }
}

export function putContext(place: Place, name: string, context: UserContext, options = { isCurrent: false }): void {
  requireContextName(name);
  const { path, current } = readUserFile(place);
  changeYaml(path, (document) => {
    document.setIn(['contexts', name], document.createNode(context));
    if (options.isCurrent || current === undefined) document.set('current', name);
  });
}

export function useContext(place: Place, name: string): void {
  requireContext(place, name);
  changeYaml(readUserFile(place).path, (document) => document.set('current', name));
}

export function removeContext(place: Place, name: string): void {
  const { host } = requireContext(place, name);
  const { path, current } = readUserFile(place);
  if (host !== undefined) forgetContext(place, host, name);
  changeYaml(path, (document) => {
    document.deleteIn(['contexts', name]);
    if (current === name) document.delete('current');
  });
}

/** Returns the context for a host and an org: the existing one, or a name for a new one. */
export function contextNameFor(place: Place, host: string, org: string | undefined): string {
  const { contexts } = readUserFile(place);
  const same = Object.keys(contexts).find((name) => contexts[name]?.host === host && contexts[name]?.org === org);
  if (same !== undefined) return same;
  const { hostname } = new URL(host);
  const name = org ?? hostname;
  return Object.hasOwn(contexts, name) ? `${name}@${new URL(host).host}` : name;
}
