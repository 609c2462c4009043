/** A failure of the spool: what, why, and what to do. */
export class SpoolError extends Error {
  override readonly name: string = 'SpoolError';
  readonly why: string;
  readonly fix: string;

  constructor(what: string, details: { why: string; fix: string; cause?: unknown }) {
    super(what, { cause: details.cause });
    this.why = details.why;
    this.fix = details.fix;
  }
}

/** The spool has reached its own limits. */
export class SpoolFull extends SpoolError {
  override readonly name = 'SpoolFull';
}

interface Known {
  readonly why: string;
  readonly fix: (directory: string) => string;
}

const anotherPlace = (directory: string) =>
  `Make ${directory} writable, or choose another directory with WAYMARK_SPOOL_DIR`;
const freeSpace = () => "Free some space, or send the spool with 'waymark spool push'";

const KNOWN: Readonly<Partial<Record<string, Known>>> = {
  ENOSPC: { why: 'The disk is full', fix: freeSpace },
  EDQUOT: { why: 'The disk quota is used up', fix: freeSpace },
  EROFS: { why: 'The file system is read-only', fix: anotherPlace },
  EACCES: { why: 'Permission denied', fix: anotherPlace },
  EPERM: { why: 'Permission denied', fix: anotherPlace },
  ENOTDIR: { why: 'A part of the path is not a directory', fix: anotherPlace },
  ENOENT: { why: 'It cannot be created, or was removed in the meantime', fix: anotherPlace },
  EEXIST: { why: 'A part of the path is not a directory', fix: anotherPlace },
};

/** Runs `work`, and turns file system errors into a SpoolError. */
export async function inSpool<T>(what: string, directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    // Other errors may have a code as well; those of the file system name the call.
    if (code === undefined || !(error instanceof Error) || !('syscall' in error)) throw error;
    const { why, fix } = KNOWN[code] ?? { why: error.message, fix: anotherPlace };
    throw new SpoolError(what, { why: `${directory}: ${why}`, fix: fix(directory), cause: error });
  }
}

export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Ignores a missing file: another process may have been faster. */
export async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
