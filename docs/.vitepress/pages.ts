import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '..');

export interface PageSummary {
  readonly title: string;
  /** The first sentence of the page: what the reader will be able to do, or to know. */
  readonly opening: string;
}

export function summaryOf(page: string): PageSummary {
  const text = readFileSync(join(DOCS, `${page}.md`), 'utf8');
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  const [, paragraph] = /^# .+\n+(?:<!--[\s\S]*?-->\n+)?([^\n#|][\s\S]*?)\n\n/m.exec(text) ?? [];
  if (title === undefined || paragraph === undefined) throw new Error(`docs/${page}.md has no title or no opening`);
  const plain = paragraph.replace(/\s+/g, ' ').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  const [opening = plain] = /^.*?[.:](?= |$)/.exec(plain) ?? [];
  return { title: title.replaceAll('`', ''), opening: opening.replace(/:$/, '.') };
}
