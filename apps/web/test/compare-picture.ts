import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

const KEPT = join(import.meta.dirname, 'looks');
const CHANGED = join(import.meta.dirname, '../../../.services/looks');
/** How different a dot may be, and how many of them: fonts are drawn a little differently by each version of a browser. */
const DOT = 0.25;
const SHARE = 0.01;

function write(path: string, content: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/**
 * Whether a screen looks as it did. With WAYMARK_LOOKS=keep it is kept as it looks now. What looks otherwise is put beside
 * what was kept, in `.services/looks`, with the difference marked.
 */
export function comparePicture(name: string, taken: Buffer): { same: boolean; why: string } {
  const path = join(KEPT, `${name}.png`);
  if (process.env['WAYMARK_LOOKS'] === 'keep') write(path, taken);
  if (!existsSync(path)) return { same: false, why: `${name} was never kept: run with WAYMARK_LOOKS=keep` };
  const [before, now] = [PNG.sync.read(readFileSync(path)), PNG.sync.read(taken)];
  const { width, height } = before;
  const tell = (why: string, difference?: Buffer) => {
    write(join(CHANGED, `${name}-now.png`), taken);
    if (difference) write(join(CHANGED, `${name}-difference.png`), difference);
    return { same: false, why: `${name} ${why}; see ${CHANGED}` };
  };
  if (now.width !== width || now.height !== height) {
    return tell(`was ${width} x ${height} and is ${now.width} x ${now.height}`);
  }
  const difference = new PNG({ width, height });
  const dots = pixelmatch(before.data, now.data, difference.data, width, height, { threshold: DOT });
  if (dots <= width * height * SHARE) return { same: true, why: '' };
  return tell(`differs in ${dots} of ${width * height} dots`, PNG.sync.write(difference));
}
