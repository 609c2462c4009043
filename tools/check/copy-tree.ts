import { execFileSync } from 'node:child_process';
import {
  constants,
  copyFileSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** Copies what git tracks or would track, and links what is installed, so that tools run in the copy as in the tree. */
export function copyTree(from: string, to: string): void {
  const root = realpathSync(from);
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  // A file that was deleted and not committed is still listed, and one in conflict more than once.
  for (const file of new Set(listed.split('\0'))) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(root, file), join(to, file), constants.COPYFILE_FICLONE);
  }
  for (const modules of globSync(['node_modules', '{apps,packages}/*/node_modules'], { cwd: root })) {
    linkModules(root, modules, to);
  }
}

/** Packages of the workspace lead into the copy. A link to the whole folder would lead back to the tree. */
function linkModules(root: string, modules: string, to: string): void {
  mkdirSync(join(to, modules), { recursive: true });
  for (const entry of readdirSync(join(root, modules))) {
    const isHidden = entry.startsWith('.') && entry !== '.bin';
    if (isHidden) continue;
    const path = join(modules, entry);
    if (entry.startsWith('@') && lstatSync(join(root, path)).isDirectory()) linkModules(root, path, to);
    else symlinkSync(targetOf(root, path, to), join(to, path));
  }
}

function targetOf(root: string, path: string, to: string): string {
  const target = realpathSync(join(root, path));
  const inTree = relative(root, target);
  const isInstalled = inTree.startsWith('..') || inTree.split(sep).includes('node_modules');
  return isInstalled ? target : join(to, inTree);
}
