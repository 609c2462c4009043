import { InvalidArgumentError } from '@commander-js/extra-typings';
import { type EnvironmentTrigger, environmentTriggers, type FlowTrigger, flowTriggers } from '@waymark/contract';

/** Short words for triggers, besides their names in the API. */
const WORDS: Readonly<Record<string, EnvironmentTrigger | FlowTrigger>> = {
  started: 'ON_STARTED_ARTIFACT',
  exited: 'ON_EXITED_ARTIFACT',
  scaled: 'ON_SCALED_ARTIFACT',
  allowed: 'ON_ALLOWED_ARTIFACT',
  'non-compliant': 'ON_NON_COMPLIANT_ENV',
  compliant: 'ON_COMPLIANT_ENV',
  expiring: 'ON_EXPIRING_EVIDENCE',
  trail: 'ON_STARTED_TRAIL',
  artifact: 'ON_ATTESTED_PROVENANCE',
  attestation: 'ON_ATTESTATION',
};

const wordsFor = (triggers: readonly string[]) =>
  Object.keys(WORDS).filter((word) => triggers.includes(WORDS[word] ?? ''));

export const triggerHelp =
  `event; can be repeated. For environments: ${wordsFor(environmentTriggers).join(', ')}. ` +
  `For flows: ${wordsFor(flowTriggers).join(', ')}`;

export function collectTrigger(
  word: string,
  before: readonly (EnvironmentTrigger | FlowTrigger)[] | undefined,
): (EnvironmentTrigger | FlowTrigger)[] {
  const trigger = WORDS[word] ?? Object.values(WORDS).find((name) => name === word.toUpperCase());
  if (!trigger) throw new InvalidArgumentError(`It must be one of ${Object.keys(WORDS).join(', ')}.`);
  return [...(before ?? []), trigger];
}

export function triggerText(trigger: string): string {
  return Object.keys(WORDS).find((word) => WORDS[word] === trigger) ?? trigger;
}
