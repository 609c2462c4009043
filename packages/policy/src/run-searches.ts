import type { DecisionContext } from './decision-context.ts';
import type { ArtifactEvidence } from './evidence.ts';
import type { Pattern } from './expression/patterns.ts';
import type { PatternMatches, Policy, Scope } from './rule.ts';

/** Of one decision. At 125 ns a step this is half a second. */
export const STEPS_MAX = 4_000_000;

const NO_MATCHES: PatternMatches = new Map();

type Matches = Map<Pattern, Map<string, boolean>>;

/**
 * Runs all searches of a policy, whether or not a rule needs them, and yields after each. Their cost is known
 * beforehand: null if it is too high. So whether there is a decision never depends on the speed of a machine.
 */
export function* runSearches(
  policy: Policy,
  evidence: ArtifactEvidence,
  context: DecisionContext,
): Generator<void, PatternMatches | null> {
  if (policy.searches.length === 0) return NO_MATCHES;
  const matches: Matches = new Map();
  if (!(yield* addTexts(matches, policy, scopesOf(evidence, context)))) return null;
  for (const [pattern, texts] of matches) {
    for (const text of texts.keys()) {
      texts.set(text, pattern.isFoundIn(text));
      yield;
    }
  }
  return matches;
}

interface Scopes {
  readonly alone: Scope;
  readonly inFlows: readonly Scope[];
}

function scopesOf(evidence: ArtifactEvidence, { artifactName, environment }: DecisionContext): Scopes {
  const alone = { flow: null, artifact: { name: artifactName, fingerprint: evidence.fingerprint }, environment };
  const flows = [evidence, ...(evidence.platforms ?? [])].flatMap((part) => part.flows);
  return { alone, inFlows: flows.map(({ flow }) => ({ ...alone, flow })) };
}

/** Collects what is searched, each text once. False when that would take too many steps. */
function* addTexts(matches: Matches, { searches }: Policy, { alone, inFlows }: Scopes): Generator<void, boolean> {
  let steps = 0;
  for (const { pattern, readText, isOfFlow } of searches) {
    const texts = matches.get(pattern) ?? new Map<string, boolean>();
    matches.set(pattern, texts);
    for (const scope of isOfFlow ? inFlows : [alone]) {
      const text = readText(scope);
      if (text === null || texts.has(text)) continue;
      texts.set(text, false);
      steps += pattern.size * (text.length + 1);
    }
    if (steps > STEPS_MAX) return false;
    yield;
  }
  return true;
}
