const MAX_LENGTH = 255;

/** Returns what is wrong with the name of an uploaded file, or undefined. Names are refused, never corrected. */
export function fileNameFault(name: string): string | undefined {
  if (name === '') return 'must have a file name';
  if (name.length > MAX_LENGTH) return `must have a file name of at most ${MAX_LENGTH} characters`;
  if (name === '.' || name === '..' || /[/\\]/.test(name)) return 'must have a file name without a path';
  if (/\p{Cc}/u.test(name)) return 'must have a file name without control characters';
  return undefined;
}
