import { EVIDENCE } from './summaries/evidence.ts';
import { MESSAGES } from './summaries/messages.ts';
import { PEOPLE } from './summaries/people.ts';
import { RULES } from './summaries/rules.ts';
import { RUNTIME } from './summaries/runtime.ts';
import { type EntryPayload, fill, type SummaryTemplate, withDerived } from './summary.ts';

/** The summary of each type of entry. A guard checks that none is missing. */
export const SUMMARIES: ReadonlyMap<string, SummaryTemplate> = new Map(
  [EVIDENCE, RUNTIME, RULES, MESSAGES, PEOPLE].flatMap((table) => Object.entries(table)),
);

export interface EntrySummary {
  readonly text: string;
  readonly name: string | null;
  /** Relative to the org. */
  readonly path: string | null;
}

interface Entry {
  readonly type: string;
  readonly actor: string;
  readonly subjectId: string;
  /** Null once it was erased. */
  readonly payload: EntryPayload | null;
}

export function summarizeDamaged({ type, actor }: Pick<Entry, 'type' | 'actor'>): EntrySummary {
  return { text: `${actor} recorded ${type}; its content cannot be read`, name: null, path: null };
}

export function summarize({ type, actor, subjectId, payload }: Entry): EntrySummary {
  const template = SUMMARIES.get(type);
  if (payload === null) return { text: `${actor} recorded ${type}; its content was erased`, name: null, path: null };
  const values = { ...withDerived(payload), actor, subject_id: subjectId };
  return {
    // A newer release may record types that this one does not know.
    text: (template && fill(template.says, values)) ?? `${actor} recorded ${type}`,
    name: (template?.name && fill(template.name, values)) ?? null,
    path: (template?.path && fill(template.path, values, encodeURIComponent)) ?? null,
  };
}
