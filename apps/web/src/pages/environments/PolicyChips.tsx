import type { listSnapshotArtifacts } from '@waymark/contract';
import type { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Link } from '../../ui/Link.tsx';
import { StateIcon } from '../../ui/StateBadge.tsx';
import { policyVerdict } from '../policies/policy-verdict.ts';

export type SnapshotHead = z.output<(typeof listSnapshotArtifacts)['reply']>['snapshot'];

/** Each policy that judged a snapshot, in its version at that time, with its result. */
export function PolicyChips({
  policies,
  isStale,
}: {
  readonly policies: SnapshotHead['applied_policies'];
  readonly isStale: boolean;
}) {
  const org = useOrg();
  if (policies.length === 0)
    return <p className="text-[13px] text-quiet">No policy was attached, so nothing was evaluated.</p>;
  return (
    <ul aria-label="Policies" className="flex flex-wrap gap-1.5">
      {policies.map((policy) => (
        <PolicyChip key={policy.id} org={org} policy={policy} isStale={isStale} />
      ))}
    </ul>
  );
}

function PolicyChip({
  org,
  policy,
  isStale,
}: {
  readonly org: string;
  readonly policy: SnapshotHead['applied_policies'][number];
  readonly isStale: boolean;
}) {
  const { name, version } = policy;
  const { state, word } = policyVerdict(policy, isStale);
  return (
    <li className="inline-flex max-w-full items-center gap-1.5 rounded-full border border-line px-2.5 py-0.5 text-[13px]">
      <StateIcon state={state} size={14} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <Link href={paths.policy(org, name, version)} className="underline">
          {name} v{version}
        </Link>
        : {word.toLowerCase()}
      </span>
    </li>
  );
}
