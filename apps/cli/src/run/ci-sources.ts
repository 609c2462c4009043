import { readFileSync } from 'node:fs';
import type { Io } from './io.ts';

/** The sources of CI facts besides variables. A missing source means unknown. */
export function ciSources(io: Io): {
  readFile: (path: string) => string | undefined;
  git: (...args: string[]) => string | undefined;
} {
  return {
    readFile(path) {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return undefined;
      }
    },
    git(...args) {
      const { status, stdout } = io.run('git', args, { cwd: io.cwd });
      return status === 0 ? stdout.trim() : undefined;
    },
  };
}
