import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '../../../../../docs');

/** A fenced block of a document. */
export interface Block {
  /** Everything after the opening fence, such as `sh`. */
  readonly kind: string;
  readonly text: string;
  /** Of the first line within. */
  readonly line: number;
}

export async function readBlocks(document: string): Promise<Block[]> {
  const page = await readFile(join(DOCS, document), 'utf8');
  return [...page.matchAll(/^```([^\n]+)\n([\s\S]*?)^```$/gm)].map(({ 1: kind = '', 2: text = '', index }) => ({
    kind,
    text,
    line: page.slice(0, index).split('\n').length + 1,
  }));
}

/** Whether output matches what a document shows; there `…` matches anything. */
export function fits(expected: string, printed: string): boolean {
  const pattern = expected
    .trim()
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`).test(printed.replaceAll('\r', '').trim());
}
