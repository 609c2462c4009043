import { lazyRouteComponent } from '@tanstack/react-router';
import type { LedgerEntry } from '@waymark/contract';
import { CircleDashed, Clock, Eraser, type LucideIcon, Stamp, TriangleAlert } from 'lucide-react';
import { Suspense } from 'react';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { classes } from '../../ui/classes.ts';
import { Time } from '../../ui/Time.tsx';
import { ProofSearch, type ProofSubject } from './proof-subject.ts';
import { isErased, isErasure, recordedWords, type SealState, sealWords } from './proof-words.ts';
import { useSeal } from './use-seal.ts';

// With the verifier, which no page needs to render.
const ProofDrawer = lazyRouteComponent(() => import('./ProofDrawer.tsx'), 'ProofDrawer');

const ICONS: Readonly<Record<SealState, LucideIcon>> = {
  sealed: Stamp,
  waiting: Clock,
  absent: Clock,
  unsigned: CircleDashed,
  stopped: TriangleAlert,
};

/** When something was recorded, and whether that can be proven. Opens the proof. */
export function ProofLine({ of }: { readonly of: ProofSubject }) {
  const org = useOrg();
  const [search, change] = useSearchState(ProofSearch);
  const { entry, state, error } = useSeal(org, of);
  return (
    // The height of the line that it will have: nothing below moves when it arrives.
    <div className="min-h-5 text-[13px] leading-5 text-quiet max-sm:min-h-10" data-proof={state ?? 'loading'}>
      {state === undefined && error !== null && 'Couldn’t load whether this is sealed'}
      {state !== undefined && (
        <button
          type="button"
          aria-haspopup="dialog"
          onClick={() => change({ proof: of.kind, entry: undefined })}
          className="group cursor-pointer text-left hover:text-ink"
        >
          <Words entry={entry} state={state} />
        </button>
      )}
      {search.proof === of.kind && (
        <Suspense>
          <ProofDrawer
            org={org}
            of={of}
            entryId={search.entry}
            onEntry={(id) => change({ entry: id }, { replace: true })}
            onClose={() => change({ proof: undefined, entry: undefined }, { replace: true })}
          />
        </Suspense>
      )}
    </div>
  );
}

function Words({ entry, state }: { readonly entry: LedgerEntry | undefined; readonly state: SealState }) {
  const erased = entry !== undefined && isErased(entry);
  const Icon = erased || (entry && isErasure(entry)) ? Eraser : ICONS[state];
  return (
    <>
      <Icon
        size={14}
        aria-hidden
        className={classes('mr-1.5 inline shrink-0 align-[-2px]', state === 'stopped' && 'text-unsure')}
      />
      {recordedWords(entry)} {entry && <Time at={entry.recorded_at} as="short" />}
      {[...(erased ? ['content erased'] : []), ...sealWords(state, entry?.sealed)].map((words) => (
        <span key={words}>
          {' · '}
          <span className={classes('whitespace-nowrap', state === 'stopped' && 'text-unsure')}>{words}</span>
        </span>
      ))}
      <span className="ml-2 text-accent group-hover:underline no-print">Proof</span>
    </>
  );
}
