import { objectOf, textOf } from '../json.ts';
import type { JournalEntry } from '../ledger.ts';

/** A waiver as the entries of its environment tell. */
export interface WaiverFacts {
  readonly id: string;
  readonly fingerprint: string;
  readonly name: unknown;
  readonly reason: unknown;
  readonly created_at: number;
  readonly created_by: string | null;
  readonly expires_at: number | null;
  readonly ended_at: number | null;
  readonly ended_by: string | null;
  readonly end_reason: 'withdrawn' | 'replaced' | 'expired' | null;
}

export interface EnvironmentFacts {
  readonly id: string;
  readonly name: string;
  readonly names: ReadonlySet<string>;
  readonly type: unknown;
  readonly waivers: ReadonlyMap<string, WaiverFacts>;
}

/** Returns undefined unless every entry of the environment is there: they are numbered without gaps. */
export function environmentOf(entries: readonly JournalEntry[]): EnvironmentFacts | undefined {
  const [first] = entries;
  if (first?.type !== 'environment.created' || !first.payload) return undefined;
  if (entries.some(({ subjectSeq }, at) => subjectSeq !== at + 1)) return undefined;
  const renamed = entries
    .filter(({ type }) => type === 'environment.renamed')
    .map(({ payload }) => textOf(payload?.['to']));
  const names = [textOf(first.payload['name']), ...renamed];
  return {
    id: first.subjectId,
    name: names.at(-1) ?? '',
    names: new Set(names),
    type: first.payload['type'],
    waivers: waiversOf(entries),
  };
}

function waiversOf(entries: readonly JournalEntry[]): Map<string, WaiverFacts> {
  const waivers = new Map<string, WaiverFacts>();
  const end = (id: unknown, { at, actor }: JournalEntry, end_reason: WaiverFacts['end_reason']) => {
    const waiver = waivers.get(textOf(id));
    if (waiver) waivers.set(waiver.id, { ...waiver, ended_at: at, ended_by: actor, end_reason });
  };
  for (const entry of entries) {
    const payload = objectOf(entry.payload);
    if (entry.type === 'allow_list.withdrawn') end(payload['id'], entry, 'withdrawn');
    if (entry.type === 'allow_list.expired') end(payload['id'], entry, 'expired');
    if (entry.type !== 'allow_list.added') continue;
    end(payload['replaces'], entry, 'replaced');
    const { id, fingerprint, name, reason, expires_at } = payload;
    waivers.set(textOf(id), {
      ...{ id: textOf(id), fingerprint: textOf(fingerprint), name, reason },
      ...{ created_at: entry.at, created_by: entry.actor },
      expires_at: typeof expires_at === 'number' ? expires_at : null,
      ...{ ended_at: null, ended_by: null, end_reason: null },
    });
  }
  return waivers;
}

/** Returns whether a waiver let an artifact run at a time. */
export function isActive({ created_at, expires_at, ended_at }: WaiverFacts, at: number): boolean {
  return created_at <= at && (expires_at === null || expires_at > at) && (ended_at === null || ended_at >= at);
}
