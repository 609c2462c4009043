import { useSearchState } from '../../../lib/route.ts';
import { ExceptionSearch } from './exception-search.ts';
import { Overrides } from './Overrides.tsx';
import { Waivers } from './Waivers.tsx';

/** Waivers and overrides: by whom, why and until when. */
export function ExceptionsTab() {
  const [search, change] = useSearchState(ExceptionSearch);
  return (
    <div className="space-y-4">
      <Waivers search={search} change={change} />
      <Overrides after={search.after} onMove={(after) => change({ after })} />
    </div>
  );
}
