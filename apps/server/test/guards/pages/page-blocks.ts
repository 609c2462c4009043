import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '../../../../../docs');

/** A part of a document between fences. */
export interface Block {
  /** All that follows the opening fence, such as `sh`. */
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

/** Whether something was printed as a document says; there `…` stands for anything. */
export function fits(expected: string, printed: string): boolean {
  const pattern = expected
    .trim()
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`).test(printed.replaceAll('\r', '').trim());
}
