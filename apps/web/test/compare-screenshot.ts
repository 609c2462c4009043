import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

const EXPECTED = join(import.meta.dirname, 'screenshots');
const ACTUAL = join(import.meta.dirname, '../../../.services/screenshots');
/** Tolerances for one pixel and for the share of pixels: each browser version renders fonts a little differently. */
const PIXEL_THRESHOLD = 0.25;
const SHARE_MAX = 0.01;

function write(path: string, content: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/**
 * Compares a screenshot with the committed one. With WAYMARK_SCREENSHOTS=update it replaces that one. What differs is
 * written to `.services/screenshots`, with the difference marked.
 */
export function compareScreenshot(
  name: string,
  taken: Buffer,
  shareMax: number = SHARE_MAX,
): { same: boolean; why: string } {
  const path = join(EXPECTED, `${name}.png`);
  if (process.env['WAYMARK_SCREENSHOTS'] === 'update') write(path, taken);
  if (!existsSync(path))
    return { same: false, why: `${name} has no screenshot yet: run with WAYMARK_SCREENSHOTS=update` };
  const [before, now] = [PNG.sync.read(readFileSync(path)), PNG.sync.read(taken)];
  const { width, height } = before;
  const differs = (why: string, difference?: Buffer) => {
    write(join(ACTUAL, `${name}-now.png`), taken);
    if (difference) write(join(ACTUAL, `${name}-difference.png`), difference);
    return { same: false, why: `${name} ${why}; see ${ACTUAL}` };
  };
  if (now.width !== width || now.height !== height) {
    return differs(`was ${width} x ${height} and is ${now.width} x ${now.height}`);
  }
  const difference = new PNG({ width, height });
  const pixels = pixelmatch(before.data, now.data, difference.data, width, height, { threshold: PIXEL_THRESHOLD });
  if (pixels <= width * height * shareMax) return { same: true, why: '' };
  return differs(`differs in ${pixels} of ${width * height} pixels`, PNG.sync.write(difference));
}
