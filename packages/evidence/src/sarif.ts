import * as z from 'zod';
import {
  type FindingLevel,
  highestScore,
  levelOfScore,
  type Scan,
  type ScannedFinding,
  type Severity,
  severityOfScore,
  worseOf,
} from './finding.ts';
import type { Rule } from './sarif-rule.ts';
import { Component, ruleOf, rulesOf } from './sarif-rule.ts';
import { listOf, shaped } from './shape.ts';
import { Unreadable } from './unreadable.ts';

const Location = z.object({
  physicalLocation: z
    .object({
      artifactLocation: z.object({ uri: z.string().optional() }).optional(),
      region: z.object({ startLine: z.number().optional() }).optional(),
    })
    .optional(),
});

const Result = z.object({
  ruleId: z.string().optional(),
  ruleIndex: z.int().optional(),
  rule: z
    .object({
      id: z.string().optional(),
      index: z.int().optional(),
      toolComponent: z.object({ index: z.int().optional() }).optional(),
    })
    .optional(),
  kind: z.string().optional(),
  level: z.enum(['error', 'warning', 'note', 'none']).optional(),
  message: z.object({ text: z.string().optional(), markdown: z.string().optional(), id: z.string().optional() }),
  locations: listOf(Location).optional(),
  suppressions: listOf(z.object({ status: z.enum(['accepted', 'underReview', 'rejected']).optional() })).optional(),
  baselineState: z.string().optional(),
  properties: z.object({ 'security-severity': z.unknown() }).partial().optional(),
});
type Result = z.infer<typeof Result>;

const Run = z.object({
  tool: z.object({ driver: Component, extensions: listOf(Component).optional() }),
  invocations: listOf(z.object({ executionSuccessful: z.boolean().optional() })).optional(),
  results: listOf(Result).nullish(),
});

const Log = z.object({ version: z.literal('2.1.0'), runs: listOf(Run) });

export function readSarif(name: string, document: unknown): Scan {
  const { runs } = shaped(name, Log, document);
  // A log without a run, or a run without results, means that nothing was scanned, not that nothing was found.
  if (runs.length === 0) throw new Unreadable(`${name}: runs: contains no run of a tool.`);
  return {
    tools: runs.map(({ tool: { driver } }) => ({
      name: driver.name,
      version: driver.semanticVersion ?? driver.version ?? '',
    })),
    findings: runs.flatMap((run, index) => findingsOf(name, run, index)),
  };
}

function findingsOf(name: string, run: z.infer<typeof Run>, index: number): ScannedFinding[] {
  const { results, tool, invocations = [] } = run;
  if (!results) throw new Unreadable(`${name}: runs[${index}]: has no results, so the tool did not finish.`);
  if (results.length === 0 && invocations.some((one) => one.executionSuccessful === false)) {
    throw new Unreadable(`${name}: runs[${index}]: says that the tool failed.`);
  }
  const rules = rulesOf([tool.driver, ...(tool.extensions ?? [])]);
  return results.flatMap((result) => {
    const rule = ruleOf(rules, result);
    const level = levelOf(result, rule);
    if (level === 'none' || isSuppressed(result) || result.baselineState === 'absent') return [];
    const score = highestScore([scoreIn(result), scoreIn(rule)].filter((value) => value !== undefined).slice(0, 1));
    return [
      {
        id: idOf(result, rule),
        level,
        message: messageOf(result, rule),
        location: placeOf(result),
        severity: severityOfScore(score) ?? SEVERITY_OF[result.level ?? rule?.defaultConfiguration?.level ?? 'warning'],
        score,
      },
    ];
  });
}

/** Where no score says more. */
const SEVERITY_OF: Readonly<Record<FindingLevel | 'none', Severity>> = {
  error: 'high',
  warning: 'medium',
  note: 'low',
  none: 'low',
};

function scoreIn(rated: Pick<Result, 'properties'> | undefined): unknown {
  return rated?.properties?.['security-severity'];
}

/**
 * A result without a level has that of its rule, else `warning`; one that is not a failure has none. A score in
 * `security-severity` can raise the level, never lower it.
 */
function levelOf(result: Result, rule: Rule | undefined): FindingLevel | 'none' {
  const isFailure = (result.kind ?? 'fail') === 'fail';
  const level = result.level ?? (isFailure ? (rule?.defaultConfiguration?.level ?? 'warning') : 'none');
  if (level === 'none') return 'none';
  const scored = levelOfScore(scoreIn(result)) ?? levelOfScore(scoreIn(rule));
  return worseOf(level, scored);
}

/** A suppression under review or rejected does not remove the result. */
function isSuppressed({ suppressions = [] }: Result): boolean {
  return suppressions.length > 0 && suppressions.every(({ status = 'accepted' }) => status === 'accepted');
}

function idOf({ ruleId, rule }: Result, found: Rule | undefined): string {
  return ruleId ?? rule?.id ?? found?.id ?? '';
}

function messageOf({ message }: Result, rule: Rule | undefined): string {
  return message.text ?? message.markdown ?? rule?.shortDescription?.text ?? message.id ?? '';
}

function placeOf({ locations }: Result): string | null {
  const place = locations?.[0]?.physicalLocation;
  const uri = place?.artifactLocation?.uri;
  if (!uri) return null;
  const line = place.region?.startLine;
  return line === undefined ? uri : `${uri}:${line}`;
}
