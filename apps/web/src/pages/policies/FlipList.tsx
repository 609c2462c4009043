import type { Flip } from '@waymark/contract';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { Digits } from '../../ui/Copy.tsx';
import { Select } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';

const PER_PAGE = 8;

/** Every verdict that would have been different, with the reason. All of them are in the response of the back-test. */
export function FlipList({ org, flips }: { readonly org: string; readonly flips: readonly Flip[] }) {
  const [page, setPage] = useState(1);
  const [to, setTo] = useState('');
  const found = to === '' ? flips : flips.filter((flip) => flip.to === to);
  const choose = (id: string) => {
    setTo(id);
    setPage(1);
  };
  return (
    <Panel
      title="Verdicts that would change"
      flush
      actions={
        <Select
          label="Show"
          hideLabel
          className="w-48"
          value={to}
          onChange={choose}
          choices={[
            { id: '', label: 'All' },
            { id: 'non-compliant', label: 'Would fail' },
            { id: 'compliant', label: 'Would pass' },
          ]}
        />
      }
    >
      <ul className="divide-y divide-line border-t border-line">
        {found.slice((page - 1) * PER_PAGE, page * PER_PAGE).map((flip) => (
          <li
            key={`${flip.environment} ${flip.snapshot_index} ${flip.artifact.name} ${flip.artifact.fingerprint}`}
            className="px-4 py-3"
          >
            <OneFlip org={org} flip={flip} />
          </li>
        ))}
        {found.length === 0 && <li className="px-4 py-3 text-quiet">None of them.</li>}
      </ul>
      <Pager
        page={page}
        pages={Math.max(1, Math.ceil(found.length / PER_PAGE))}
        total={found.length}
        what={found.length === 1 ? 'verdict' : 'verdicts'}
        onPage={setPage}
      />
    </Panel>
  );
}

function OneFlip({ org, flip }: { readonly org: string; readonly flip: Flip }) {
  const { artifact, environment, snapshot_index: first, until_index: end } = flip;
  return (
    <>
      <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[14px] font-medium">
        <span className="inline-flex items-center gap-1">
          <StateBadge state={flip.from} />
          <ArrowRight size={14} role="img" aria-label="would be" className="text-quiet" />
          <StateBadge state={flip.to} />
        </span>
        <span className="min-w-0 [overflow-wrap:anywhere]">
          {artifact.fingerprint === '' ? (
            artifact.name
          ) : (
            <Link href={paths.anyArtifact(org, artifact.fingerprint)}>{artifact.name}</Link>
          )}
        </span>
        <Digits text={artifact.fingerprint} what="fingerprint" />
      </h3>
      <p className="text-[13px] text-quiet">
        In{' '}
        <Link href={paths.environment(org, environment)} className="underline">
          {environment}
        </Link>{' '}
        from snapshot{' '}
        <Link href={paths.snapshot(org, environment, first)} className="underline">
          #{first}
        </Link>{' '}
        (<Time at={flip.timestamp} />){' '}
        {end === null ? (
          'to the end of the period'
        ) : (
          <>
            until{' '}
            <Link href={paths.snapshot(org, environment, end)} className="underline">
              #{end}
            </Link>
          </>
        )}
        {flip.evidence === 'present' && '. Nothing was evaluated then, so current evidence is used'}
      </p>
      <Reasons org={org} flip={flip} />
    </>
  );
}

function Reasons({ org, flip }: { readonly org: string; readonly flip: Flip }) {
  if (flip.reasons.length === 0) return <p className="mt-1 text-[13px]">It would meet all requirements.</p>;
  return (
    <ul className="mt-1.5 space-y-1.5 border-l-2 border-line pl-3 text-[13px]">
      {flip.reasons.map((reason) => (
        <li key={`${reason.policy_name} ${reason.flow_name} ${reason.message}`}>
          <p>{reason.message}</p>
          {reason.fix !== '' && <p className="text-quiet">To fix: {reason.fix}</p>}
          {reason.flow_name !== null && reason.trail_name !== null && (
            <p>
              <Link href={paths.trail(org, reason.flow_name, reason.trail_name)}>
                {reason.flow_name}, trail {reason.trail_name}
              </Link>
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
