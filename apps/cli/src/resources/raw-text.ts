import type { Session } from '../run/session.ts';

/** Writes an untrusted text: unchanged to files and pipes, and without control characters to a terminal. */
export function rawText({ io }: Session, text: string): string {
  return io.stdout.isTty ? text.replace(/[^\P{Cc}\n\t]|\p{Cf}/gu, '\uFFFD') : text;
}
