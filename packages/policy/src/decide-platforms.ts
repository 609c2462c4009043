import type { Judged, Reason, Resolution, RuleEvaluation } from './decision.ts';
import type { ArtifactEvidence, PlatformEvidence } from './evidence.ts';

/** The evidence on an artifact, or on one platform of an image index. */
export interface JudgedEvidence extends ArtifactEvidence {
  readonly image?: PlatformEvidence;
}

export interface JudgedPart {
  readonly platform: string;
  readonly judged: Judged;
}

/** The platforms of an index, each with the flows of the index and its own; empty for anything else. */
export function partsOf({ platforms = [], ...index }: ArtifactEvidence) {
  return platforms.map((image) => ({ ...index, flows: [...index.flows, ...image.flows], image }));
}

/** An index is compliant when each of its platforms is. */
export function judgedTogether(parts: readonly JudgedPart[]): Judged {
  const [first] = parts;
  const ruleEvaluations = (first?.judged.ruleEvaluations ?? []).map((evaluation, place) =>
    ruleTogether(
      evaluation,
      parts.flatMap(({ platform, judged }) => {
        const found = judged.ruleEvaluations[place];
        return found ? [{ platform, evaluation: found }] : [];
      }),
    ),
  );
  return {
    status: parts.every(({ judged }) => judged.status === 'COMPLIANT') ? 'COMPLIANT' : 'NON-COMPLIANT',
    ruleEvaluations,
    reasons: distinct(parts.flatMap(({ judged }) => judged.reasons)),
  };
}

interface RulePart {
  readonly platform: string;
  readonly evaluation: RuleEvaluation;
}

function ruleTogether({ rule }: RuleEvaluation, parts: readonly RulePart[]): RuleEvaluation {
  const outcomes = parts.map(({ evaluation }) => evaluation.satisfied);
  const satisfied = outcomes.includes(false) ? false : outcomes.includes(true) || null;
  const times = Map.groupBy(
    parts.flatMap(({ evaluation }) => evaluation.resolutions.map((resolution) => JSON.stringify(resolution))),
    (text) => text,
  );
  // The result for the flows of the index is the same for each platform, and listed once.
  const withPlatform = (platform: string, resolution: Resolution): Resolution =>
    times.get(JSON.stringify(resolution))?.length === parts.length
      ? resolution
      : { ...resolution, context: { ...resolution.context, platform } };
  const resolutions = parts.flatMap(({ platform, evaluation }) =>
    evaluation.resolutions.map((resolution) => withPlatform(platform, resolution)),
  );
  return { rule, satisfied, ignored: satisfied === null, resolutions: distinct(resolutions) };
}

function distinct<Item extends Resolution | Reason>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
