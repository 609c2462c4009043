import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { TargetRow } from './target.reads.ts';
import type { WantedTarget } from './target-input.ts';

type Known = Pick<TargetRow, 'id' | 'kind' | 'url_sha256' | 'emails'>;

/**
 * Which stored target each wanted one is, if any: by its id, preferring the unchanged one of several with the same id;
 * by its URL or addresses; and if one EMAIL is left on either side, it is the same with other addresses.
 */
export function matchTargets<Row extends Known>(
  stored: readonly Row[],
  wanted: readonly WantedTarget[],
): readonly (Row | undefined)[] {
  const matches = new Map<WantedTarget, Row>();
  const left = new Set(stored);
  const match = (target: WantedTarget, row: Row | undefined) => {
    if (!row) return;
    matches.set(target, row);
    left.delete(row);
  };
  const matchBy = (isMatch: (row: Row, target: WantedTarget) => boolean) => {
    for (const target of wanted) {
      if (!matches.has(target))
        match(
          target,
          [...left].find((row) => isMatch(row, target)),
        );
    }
  };
  matchBy((row, target) => hasId(row, target) && isSame(row, target));
  matchBy(hasId);
  matchBy(isSame);
  const [mail, ...moreMail] = [...left].filter(({ kind }) => kind === 'EMAIL');
  const [wantedMail, ...moreWanted] = wanted.filter((target) => target.kind === 'EMAIL' && !matches.has(target));
  if (wantedMail && moreMail.length === 0 && moreWanted.length === 0) match(wantedMail, mail);
  return wanted.map((target) => matches.get(target));
}

function hasId(row: Known, { id, kind }: WantedTarget): boolean {
  return row.id === id?.toLowerCase() && row.kind === kind;
}

/** Whether both have the same destination. */
export function isSame(row: Known, { kind, url, emails }: WantedTarget): boolean {
  if (row.kind !== kind) return false;
  if (url !== null) return row.url_sha256?.equals(digestOf(url)) === true;
  return isDeepStrictEqual(addressesOf(row.emails), addressesOf(emails));
}

export function digestOf(url: string): Buffer {
  return hash('sha256', url, 'buffer');
}

function addressesOf(emails: readonly string[]): string[] {
  return emails.map((email) => email.toLowerCase()).sort();
}
