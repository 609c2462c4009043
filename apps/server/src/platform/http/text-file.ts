import type { UploadedFile } from '@waymark/contract';
import { invalidField } from '../errors.ts';

/** The text of a small file; `part` is its name in the form. */
export function textOf(part: string, { content }: Pick<UploadedFile, 'content'>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw invalidField(part, 'is not valid UTF-8 text');
  }
}
