import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const IGNORE_FILE = '.waymark_ignore';

/** The file name of other clients of this API; an existing file keeps its meaning. */
const IGNORE_FILE_ALIASES = ['.kosli_ignore'];

/** The exclude patterns, one a line, of the ignore files in `directory`. The files themselves are not excluded. */
export async function ignoredPatterns(directory: string): Promise<string[]> {
  const texts = await Promise.all([IGNORE_FILE, ...IGNORE_FILE_ALIASES].map((name) => textOf(join(directory, name))));
  return texts.flatMap(patternsIn);
}

function patternsIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*/s, '').trim());
  return lines.filter((line) => line !== '');
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
