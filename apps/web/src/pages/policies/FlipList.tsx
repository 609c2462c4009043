import type { Flip } from '@waymark/contract';
import { ArrowRight, ChevronDown, ChevronRight } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { counted } from '../../lib/counted.ts';
import { paths } from '../../lib/paths.ts';
import { Button } from '../../ui/Button.tsx';
import { Digits } from '../../ui/Copy.tsx';
import { Select } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { type FlipGroup, groupFlips } from './flip-groups.ts';

const PER_PAGE = 8;
const GROUPS_SHOWN = 20;

/** Every verdict that would have been different, by cause. All of them are in the response of the back-test. */
export function FlipList({ org, flips }: { readonly org: string; readonly flips: readonly Flip[] }) {
  const [to, setTo] = useState('');
  const [shown, setShown] = useState(GROUPS_SHOWN);
  const groups = useMemo(() => groupFlips(to === '' ? flips : flips.filter((flip) => flip.to === to)), [flips, to]);
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
          onChange={setTo}
          choices={[
            { id: '', label: 'All' },
            { id: 'non-compliant', label: 'Would fail' },
            { id: 'compliant', label: 'Would pass' },
          ]}
        />
      }
    >
      {groups.slice(0, shown).map((group, place) => (
        <Group key={group.key} org={org} group={group} isFirst={place === 0} />
      ))}
      {groups.length === 0 && <p className="border-t border-line px-4 py-3 text-quiet">None of them.</p>}
      {groups.length > shown && (
        <div className="border-t border-line px-4 py-2">
          <Button variant="quiet" onPress={() => setShown(shown + GROUPS_SHOWN)}>
            Show more of {groups.length} causes
          </Button>
        </div>
      )}
    </Panel>
  );
}

function Group({
  org,
  group: { cause, flips, artifacts, environments },
  isFirst,
}: {
  readonly org: string;
  readonly group: FlipGroup;
  readonly isFirst: boolean;
}) {
  const id = useId();
  const [isOpen, setOpen] = useState(isFirst);
  const [page, setPage] = useState(1);
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  return (
    <section className="border-t border-line">
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          className="flex w-full cursor-pointer items-start gap-2 px-4 py-2.5 text-left hover:bg-raised"
          onClick={() => setOpen(!isOpen)}
        >
          <Arrow size={16} aria-hidden className="mt-0.5 shrink-0 text-quiet" />
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            <span className="font-medium">{cause}</span>
            <span className="block text-[13px] text-quiet">
              {`${counted(flips.length, 'verdict')} of ${counted(artifacts, 'artifact')} in ${counted(environments, 'environment')}`}
            </span>
          </span>
        </button>
      </h3>
      <div id={id} hidden={!isOpen}>
        {isOpen && (
          <>
            <ul className="divide-y divide-line border-t border-line">
              {flips.slice((page - 1) * PER_PAGE, page * PER_PAGE).map((flip) => (
                <li
                  key={`${flip.environment} ${flip.snapshot_index} ${flip.artifact.name} ${flip.artifact.fingerprint}`}
                  className="py-3 pr-4 pl-10"
                >
                  <OneFlip org={org} flip={flip} />
                </li>
              ))}
            </ul>
            {flips.length > PER_PAGE && (
              <Pager
                page={page}
                pages={Math.ceil(flips.length / PER_PAGE)}
                total={flips.length}
                what="verdicts"
                onPage={setPage}
              />
            )}
          </>
        )}
      </div>
    </section>
  );
}

function OneFlip({ org, flip }: { readonly org: string; readonly flip: Flip }) {
  const { artifact, environment, snapshot_index: first, until_index: end } = flip;
  return (
    <>
      <h4 className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[14px] font-medium">
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
      </h4>
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
