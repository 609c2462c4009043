import { dirname, join, relative } from 'node:path';
import { version } from '../../apps/cli/src/run/version.ts';

const ROOT = join(import.meta.dirname, '../..');
const REPOSITORY = `https://github.com/waymark/waymark/blob/v${version}`;

/** Returns the address of a link in a page: files of the repository that are no pages are found in the repository. */
export function addressOf(href: string, page: string): string {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = relative(ROOT, join(ROOT, 'docs', dirname(page), path));
  const isPage = target.startsWith('docs/') && target.endsWith('.md') && !target.startsWith('docs/site/');
  if (path === '' || isPage) return href;
  return `${REPOSITORY}/${target}${anchor === undefined ? '' : `#${anchor}`}`;
}
