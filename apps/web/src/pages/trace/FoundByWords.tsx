import { useState } from 'react';
import { useOrg } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { Failure, Loaded, Loading } from '../../ui/States.tsx';
import { FoundArtifacts, NothingFound } from './FoundArtifacts.tsx';
import { SEARCHED_PER_STEP, useArtifactsOf, useByWords } from './find-artifacts.ts';
import { withoutDuplicates } from './trace-subject.ts';

const OPENED_PER_STEP = 20;

export function FoundByWords({ text }: { readonly text: string }) {
  const org = useOrg();
  const answer = useByWords(org, text);
  const [opened, setOpened] = useState(OPENED_PER_STEP);
  const pages = answer.data?.pages ?? [];
  const built = useArtifactsOf(
    org,
    pages.flatMap(({ trails }) => trails),
    opened,
  );
  const found = withoutDuplicates([...pages.flatMap(({ artifacts }) => artifacts), ...built.artifacts]);
  return (
    <Loaded of={answer}>
      {() => (
        <div className="space-y-4">
          <FoundArtifacts found={found} />
          {built.error && <Failure error={built.error} />}
          {found.length === 0 && built.isPending && <Loading lines={3} />}
          {found.length === 0 && !built.isPending && built.left === 0 && <NothingFound what={text} />}
          {built.left > 0 && <NotOpened left={built.left} onMore={() => setOpened(opened + OPENED_PER_STEP)} />}
          <SearchFurther
            pages={pages.length}
            hasMore={answer.hasNextPage}
            isSearching={answer.isFetchingNextPage}
            onMore={() => void answer.fetchNextPage()}
          />
        </div>
      )}
    </Loaded>
  );
}

/** The results lack what the trails built that were not opened. */
function NotOpened({ left, onMore }: { readonly left: number; readonly onMore: () => void }) {
  return (
    <div className="flex flex-wrap items-center gap-3 text-[13px] text-quiet no-print">
      <span>
        {left === 1
          ? '1 more trail matches; its artifacts are not shown yet.'
          : `${left.toLocaleString('en')} more trails match; their artifacts are not shown yet.`}
      </span>
      <Button onPress={onMore}>Show {Math.min(left, OPENED_PER_STEP)} more</Button>
    </div>
  );
}

interface FurtherProps {
  readonly pages: number;
  readonly hasMore: boolean;
  readonly isSearching: boolean;
  readonly onMore: () => void;
}

/** Says how far back the search went, so that an empty result is not taken for proof that nothing exists. */
function SearchFurther({ pages, hasMore, isSearching, onMore }: FurtherProps) {
  if (!hasMore)
    return (
      <p className="text-[13px] text-quiet">All trails, and all evidence about tickets and reviews, were searched.</p>
    );
  return (
    <div className="flex flex-wrap items-center gap-3 text-[13px] text-quiet no-print">
      <span>
        The newest {(pages * SEARCHED_PER_STEP).toLocaleString('en')} trails, and as many attestations about tickets and
        reviews, were searched.
      </span>
      <Button onPress={onMore} isDisabled={isSearching}>
        {isSearching ? 'Searching …' : 'Search further back'}
      </Button>
    </div>
  );
}
