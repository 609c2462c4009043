import { quoted } from './shorten.ts';
import { Unreadable } from './unreadable.ts';

/** Nothing is written to these paths, but a name that escapes its directory is not honest. */
export function refuseUnsafePath(archive: string, path: string): void {
  const fault = faultOf(path);
  if (fault) throw new Unreadable(`${archive}: the path ${quoted(path)} ${fault}.`);
}

function faultOf(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.includes('\u0000')) return 'contains a NUL';
  if (path.includes('\\')) return 'contains a backslash';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is absolute';
  if (path.split('/').includes('..')) return 'leads out of the archive';
  return undefined;
}
