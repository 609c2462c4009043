import type { listSnapshotArtifacts } from '@waymark/contract';
import type { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Link } from '../../ui/Link.tsx';
import { StateIcon } from '../../ui/StateBadge.tsx';

export type SnapshotHead = z.output<(typeof listSnapshotArtifacts)['reply']>['snapshot'];

/** Each policy that a snapshot was judged by, in its version of that time, with what it came to. */
export function PolicyChips({
  policies,
  isDoubtful,
}: {
  readonly policies: SnapshotHead['applied_policies'];
  readonly isDoubtful: boolean;
}) {
  const org = useOrg();
  if (policies.length === 0)
    return <p className="text-[13px] text-quiet">No policy was attached, so that nothing was judged.</p>;
  return (
    <ul aria-label="Policies" className="flex flex-wrap gap-1.5">
      {policies.map(({ id, name, version, failing_count }) => (
        <li
          key={id}
          className="inline-flex max-w-full items-center gap-1.5 rounded-full border border-line px-2.5 py-0.5 text-[13px]"
        >
          <StateIcon state={isDoubtful ? 'unknown' : failing_count > 0 ? 'non-compliant' : 'compliant'} size={14} />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <Link href={paths.policy(org, name, version)} className="underline">
              {name} v{version}
            </Link>
            : {verdictOf(failing_count, isDoubtful)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function verdictOf(failing: number, isDoubtful: boolean): string {
  if (failing === 0) return isDoubtful ? 'all did pass' : 'all pass';
  const count = failing.toLocaleString('en');
  if (isDoubtful) return `${count} did fail`;
  return failing === 1 ? '1 fails' : `${count} fail`;
}
