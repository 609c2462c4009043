import * as z from 'zod';
import { listOf } from './shape.ts';

const Rule = z.object({
  id: z.string(),
  shortDescription: z.object({ text: z.string().optional() }).optional(),
  defaultConfiguration: z.object({ level: z.enum(['error', 'warning', 'note', 'none']).optional() }).optional(),
  properties: z.object({ 'security-severity': z.unknown() }).partial().optional(),
});
export type Rule = z.infer<typeof Rule>;

/** The driver of a tool, or one of its extensions. */
export const Component = z.object({
  name: z.string(),
  version: z.string().optional(),
  semanticVersion: z.string().optional(),
  rules: listOf(Rule).optional(),
});
type Component = z.infer<typeof Component>;

interface Rules {
  driver: readonly Rule[];
  extensions: readonly (readonly Rule[])[];
  byId: ReadonlyMap<string, Rule>;
}

interface Reference {
  ruleId?: string | undefined;
  ruleIndex?: number | undefined;
  rule?:
    | {
        id?: string | undefined;
        index?: number | undefined;
        toolComponent?: { index?: number | undefined } | undefined;
      }
    | undefined;
}

export function rulesOf([driver, ...extensions]: readonly Component[]): Rules {
  const all = [...(driver?.rules ?? []), ...extensions.flatMap((extension) => extension.rules ?? [])];
  return {
    driver: driver?.rules ?? [],
    extensions: extensions.map((extension) => extension.rules ?? []),
    // The first of a name counts, and those of the driver come first.
    byId: new Map(all.toReversed().map((rule) => [rule.id, rule])),
  };
}

/** By index where the result has one, because an id may be shared by several rules; else by id. */
export function ruleOf(rules: Rules, { ruleId, ruleIndex, rule }: Reference): Rule | undefined {
  const index = rule?.index ?? ruleIndex ?? -1;
  const extension = rule?.toolComponent?.index;
  const among = extension === undefined || extension < 0 ? rules.driver : rules.extensions[extension];
  return (index < 0 ? undefined : among?.[index]) ?? rules.byId.get(rule?.id ?? ruleId ?? '');
}
