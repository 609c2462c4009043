const WORDS: Readonly<Record<string, string>> = {
  report: 'a report',
  provenance: 'provenance that came later',
  evidence: 'evidence that came later',
  policy: 'a change of policies',
  'allow-list': 'a change of the allow-list',
  context: 'a name or tag that a policy reads',
};

/** Describes what triggered a snapshot. */
export function triggerWords(trigger: string): string {
  return WORDS[trigger] ?? trigger;
}
