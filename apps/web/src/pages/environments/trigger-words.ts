const WORDS: Readonly<Record<string, string>> = {
  report: 'report',
  provenance: 'late provenance',
  evidence: 'late evidence',
  policy: 'policy change',
  'allow-list': 'waiver change',
  context: 'name or tag read by a policy',
  time: 'evidence that ran out',
};

/** Describes what triggered a snapshot. */
export function triggerWords(trigger: string): string {
  return WORDS[trigger] ?? trigger;
}
