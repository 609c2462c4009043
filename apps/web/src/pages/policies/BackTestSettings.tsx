import { type Policy, SIMULATED_ENVIRONMENTS_MAX } from '@waymark/contract';
import { useEffect, useEffectEvent } from 'react';
import { z } from 'zod';
import { useSearchState } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Fields.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EnvironmentPicker } from './EnvironmentPicker.tsx';
import { type PolicyCheck, usePolicyCheck } from './policy-knowledge.ts';
import type { BackTest } from './use-back-test.ts';

const DAYS = [7, 30, 90] as const;
const DAY = 86_400;

const Search = z.object({
  days: z.coerce
    .number()
    .refine((days) => DAYS.some((each) => each === days))
    .default(30),
  /** Set by the page that was left to run it; taken out of the address once it runs. */
  run: z.literal('now').optional(),
  where: z.enum(['attached', 'all', 'chosen']).optional(),
  env: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
});

/** The environments and the period, and the button. */
export function BackTestSettings({
  org,
  name,
  policy,
  text,
  test,
}: {
  readonly org: string;
  readonly name: string;
  readonly policy: Policy | undefined;
  readonly text: string;
  readonly test: BackTest;
}) {
  const [search, change] = useSearchState(Search);
  const check = usePolicyCheck(org, text);
  const attached = policy?.consuming_envs ?? [];
  const where = search.where ?? (attached.length > 0 ? 'attached' : 'all');
  const environments = { attached: attached.slice(0, SIMULATED_ENVIRONMENTS_MAX), all: undefined, chosen: search.env }[
    where
  ];
  const whyNot = whyNotRun(check, environments?.length);
  const start = () =>
    test.start({
      policy_yaml: text,
      from_timestamp: Math.floor(Date.now() / 1000) - search.days * DAY,
      ...(policy && { replaces: name }),
      ...(environments && { environments: [...environments] }),
    });
  const isDue = search.run === 'now' && test.isReady && whyNot === undefined;
  const startDue = useEffectEvent(() => {
    change({ run: undefined }, { replace: true });
    start();
  });
  useEffect(() => {
    if (isDue) startDue();
  }, [isDue]);
  return (
    <Panel title="Back-test">
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label="Environments"
          className="w-56"
          value={where}
          onChange={(id) => change({ where: id as typeof where }, { replace: true })}
          choices={[
            { id: 'attached', label: attachedWords(attached.length) },
            { id: 'all', label: 'All environments' },
            { id: 'chosen', label: 'Some environments' },
          ]}
        />
        <Select
          label="Period"
          className="w-40"
          value={String(search.days)}
          onChange={(id) => change({ days: Number(id) }, { replace: true })}
          choices={DAYS.map((days) => ({ id: String(days), label: `Last ${days} days` }))}
        />
        {test.run?.isRunning ? (
          <Button onPress={test.stop}>Stop</Button>
        ) : (
          <Button variant="primary" onPress={start} whyNot={whyNot}>
            Run back-test
          </Button>
        )}
      </div>
      {where === 'chosen' && (
        <EnvironmentPicker
          org={org}
          chosen={search.env}
          onChange={(env) => change({ env, where: 'chosen' }, { replace: true })}
        />
      )}
      <p className="mt-3 text-[13px] text-quiet">
        {policy
          ? `The draft replaces ${name} wherever it applied; elsewhere, it applies in addition to the other policies.`
          : 'The draft applies in addition to the policies that were attached.'}{' '}
        Each verdict is re-evaluated on the evidence known at the time.
        {attached.length > SIMULATED_ENVIRONMENTS_MAX &&
          where === 'attached' &&
          ` Only the first ${SIMULATED_ENVIRONMENTS_MAX} of ${attached.length} environments are tested.`}
      </p>
    </Panel>
  );
}

function attachedWords(count: number): string {
  return count === 0 ? 'Attached environments (none)' : `Attached environments (${count})`;
}

function whyNotRun({ problems, error }: PolicyCheck, environments: number | undefined): string | undefined {
  if (error) return 'Couldn’t validate the policy';
  if (problems === undefined) return 'The policy is being validated';
  if (problems.length > 0) return 'The policy has problems';
  return environments === 0 ? 'Choose an environment' : undefined;
}
