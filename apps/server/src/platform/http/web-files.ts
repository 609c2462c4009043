import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

export interface WebFile {
  readonly type: string;
  readonly content: Buffer;
  /** Absent where compressing gains nothing. */
  readonly gzipped?: Buffer;
}

/** The built web application: its page, and the files that it names. */
export interface WebFiles {
  readonly page: string;
  /** By their paths, such as `/assets/main-x1.js`. The build puts a hash of the content into each name. */
  readonly assets: ReadonlyMap<string, WebFile>;
  /** The folder of the documentation site. */
  readonly help: string;
}

/** All of it but the documentation is held in memory: it is small, and what is not in this list cannot be asked for. */
export async function readWebFiles(directory: string): Promise<WebFiles | undefined> {
  const page = await readFile(join(directory, 'index.html'), 'utf8').catch(() => undefined);
  if (page === undefined) return undefined;
  const assets = new Map<string, WebFile>();
  for (const entry of await readdir(join(directory, 'assets'), { withFileTypes: true, recursive: true })) {
    const type = TYPES[entry.name.split('.').at(-1) ?? ''];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    assets.set(`/${relative(directory, path).split(sep).join('/')}`, await fileOf(path, type));
  }
  return { page, assets, help: join(directory, 'help') };
}

async function fileOf(path: string, type: string): Promise<WebFile> {
  const content = await readFile(path);
  if (type === 'font/woff2') return { type, content };
  return { type, content, gzipped: await compress(content, { level: 9 }) };
}
