import type { Session } from '../run/session.ts';

/** A whole text of others: as it is for files and pipes, and without what moves a terminal on one. */
export function rawText({ io }: Session, text: string): string {
  return io.stdout.isTty ? text.replace(/[^\P{Cc}\n\t]|\p{Cf}/gu, '\uFFFD') : text;
}
