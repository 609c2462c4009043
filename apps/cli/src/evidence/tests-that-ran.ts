import type { Session } from '../run/session.ts';
import { annotate } from './ci-output.ts';
import type { NamedFile } from './tgz.ts';

/** Whether any test of the reports ran. */
export function hasTestThatRan(files: readonly NamedFile[]): boolean {
  return files.some(({ content }) => ranIn(withoutQuotations(Buffer.from(content).toString('utf8'))));
}

function ranIn(text: string): boolean {
  const cases = count(text, /<testcase[\s/>]/g);
  if (cases > 0) return cases > count(text, /<(?:skipped|disabled)[\s/>]/g);
  // Some writers give counts without test cases.
  return [...text.matchAll(/<testsuites?\s[^<>]*/g)].some(
    ([tag]) => claimed(tag, 'tests') > claimed(tag, 'skipped') + claimed(tag, 'disabled'),
  );
}

function count(text: string, what: RegExp): number {
  return [...text.matchAll(what)].length;
}

function claimed(tag: string, name: string): number {
  return Number(new RegExp(`\\s${name}\\s*=\\s*["']\\s*(\\d{1,9})`).exec(tag)?.[1] ?? 0);
}

const QUOTATIONS = { '<!--': '-->', '<![CDATA[': ']]>' } as const;

/** Removes CDATA: it holds the output of tests, which may look like a test. */
function withoutQuotations(text: string): string {
  const parts: string[] = [];
  for (let at = 0; ; ) {
    const begin = nextOf(text, at);
    if (begin === undefined) return [...parts, text.slice(at)].join('');
    parts.push(text.slice(at, begin.at));
    const end = text.indexOf(QUOTATIONS[begin.sign], begin.at + begin.sign.length);
    if (end === -1) return parts.join('');
    at = end + QUOTATIONS[begin.sign].length;
  }
}

function nextOf(text: string, from: number): { at: number; sign: keyof typeof QUOTATIONS } | undefined {
  const found = /<!--|<!\[CDATA\[/g;
  found.lastIndex = from;
  const match = found.exec(text);
  return match ? { at: match.index, sign: match[0] as keyof typeof QUOTATIONS } : undefined;
}

export function warnWithoutTests(session: Session, name: string): void {
  const message = 'The reports contain no test that ran, so the attestation is non-compliant';
  session.warn(`'${name}': ${message}`);
  annotate(session, { level: 'warning', title: `No test ran: ${name}`, message });
}
