import type { ReplyOf } from '@waymark/client';
import {
  getPolicySchema,
  listAttestationTypes,
  listControls,
  listFlows,
  type PolicyProblem,
  validatePolicy,
} from '@waymark/contract';
import { useMemo } from 'react';
import type { KnownNames } from '../../editor/complete-yaml.ts';
import { useRead } from '../../lib/queries.ts';
import { useSettled } from '../../lib/settled.ts';

const NEVER_CHANGES = { staleTime: Number.POSITIVE_INFINITY };
const SELDOM_CHANGES = { staleTime: 300_000 };
const FEW = 100;

/** With `page` the response is always an envelope. */
function flowsIn(answer: ReplyOf<typeof listFlows> | undefined) {
  if (answer === undefined) return [];
  return Array.isArray(answer) ? answer : answer.data;
}

/** What can be written in a policy, from its schema and the names in the org. */
export function usePolicyKnowledge(org: string): { readonly schema: unknown; readonly names: KnownNames } {
  const params = { org };
  const { data: schema } = useRead(getPolicySchema, {}, NEVER_CHANGES);
  const { data: controls } = useRead(listControls, { params, query: { per_page: FEW } }, SELDOM_CHANGES);
  const { data: types } = useRead(listAttestationTypes, { params, query: {} }, SELDOM_CHANGES);
  const { data: flows } = useRead(listFlows, { params, query: { page: 1, per_page: FEW } }, SELDOM_CHANGES);
  const names = useMemo(
    () => ({
      for_control: (controls?.controls ?? []).map(({ identifier, name }) => ({ label: identifier, detail: name })),
      type: (types ?? []).map(({ name }) => ({ label: `custom:${name}` })),
      if: conditionsFor(flowsIn(flows)),
    }),
    [controls, types, flows],
  );
  return { schema, names };
}

/** Example conditions, on the tags of the org's flows. */
export function conditionsFor(flows: readonly { readonly tags: Readonly<Record<string, string>> }[]) {
  const tags = new Set(flows.flatMap((flow) => Object.entries(flow.tags).map(([key, value]) => `${key}\0${value}`)));
  const about = [...tags].sort().slice(0, FEW);
  return [
    ...about.map((tag) => {
      const [key = '', value = ''] = tag.split('\0');
      return `flow.tags.${key} == ${JSON.stringify(value)}`;
    }),
    'exists(flow)',
    'flow.name == "…"',
    'environment.name == "…"',
    'matches(artifact.name, "…")',
  ].map((condition) => ({ label: `'\${{ ${condition} }}'` }));
}

const TYPING_MS = 400;

export interface PolicyCheck {
  /** `undefined` until they are known for exactly this text. */
  readonly problems: readonly PolicyProblem[] | undefined;
  /** Why the check failed. */
  readonly error: Error | null;
  readonly checkAgain: () => void;
}

/** The server's findings about a text, once the typing pauses. */
export function usePolicyCheck(org: string, text: string): PolicyCheck {
  const paused = useSettled(text, TYPING_MS);
  const { data, error, refetch } = useRead(
    validatePolicy,
    { params: { org }, body: { policy_yaml: paused } },
    { fresh: true, staleTime: 60_000 },
  );
  const isOfText = paused === text;
  return {
    problems: isOfText ? data?.problems : undefined,
    error: isOfText && data === undefined ? error : null,
    checkAgain: () => void refetch(),
  };
}
