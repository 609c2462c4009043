import { quoted } from './shorten.ts';
import { Unreadable } from './unreadable.ts';

/** Nothing is written under these paths, but a name made to escape a directory is no honest name for evidence. */
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
