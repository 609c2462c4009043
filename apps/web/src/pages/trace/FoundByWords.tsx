import { useOrg } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { Failure, Loaded, Loading } from '../../ui/States.tsx';
import { FoundArtifacts, NothingFound } from './FoundArtifacts.tsx';
import { useArtifactsOf, useByWords } from './find-artifacts.ts';
import { eachOnce } from './trace-subject.ts';

const LOOKED_AT = 100;

export function FoundByWords({ text }: { readonly text: string }) {
  const org = useOrg();
  const answer = useByWords(org, text);
  const pages = answer.data?.pages ?? [];
  const built = useArtifactsOf(
    org,
    pages.flatMap(({ trails }) => trails),
  );
  const found = eachOnce([...pages.flatMap(({ artifacts }) => artifacts), ...built.artifacts]);
  return (
    <Loaded of={answer}>
      {() => (
        <div className="space-y-4">
          <FoundArtifacts found={found} />
          {built.error && <Failure error={built.error} />}
          {found.length === 0 && (built.isPending ? <Loading lines={3} /> : <NothingFound what={text} />)}
          <LookFurther
            pages={pages.length}
            hasMore={answer.hasNextPage}
            isLooking={answer.isFetchingNextPage}
            onMore={() => void answer.fetchNextPage()}
          />
        </div>
      )}
    </Loaded>
  );
}

interface FurtherProps {
  readonly pages: number;
  readonly hasMore: boolean;
  readonly isLooking: boolean;
  readonly onMore: () => void;
}

/** How far back was looked is said, so that nothing found is not taken for nothing there. */
function LookFurther({ pages, hasMore, isLooking, onMore }: FurtherProps) {
  if (!hasMore)
    return (
      <p className="text-[13px] text-quiet">
        All trails, and all evidence about tickets and reviews, were looked through.
      </p>
    );
  return (
    <div className="flex flex-wrap items-center gap-3 text-[13px] text-quiet no-print">
      <span>
        The newest {(pages * LOOKED_AT).toLocaleString('en')} trails, and as many attestations about tickets and
        reviews, were looked through.
      </span>
      <Button onPress={onMore} isDisabled={isLooking}>
        {isLooking ? 'Looking …' : 'Look further back'}
      </Button>
    </div>
  );
}
