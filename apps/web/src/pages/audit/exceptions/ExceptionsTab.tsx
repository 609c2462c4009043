import { z } from 'zod';
import { useSearchState } from '../../../lib/route.ts';
import { AllowListings } from './AllowListings.tsx';
import { Overrides } from './Overrides.tsx';

const Search = z.object({
  show: z.enum(['active', 'all']).default('active'),
  env: z.string().optional(),
  page: z.coerce.number().int().min(1).default(1),
  after: z.string().optional(),
});
export type ExceptionSearch = z.output<typeof Search>;
export type ChangeExceptions = (changes: Partial<z.input<typeof Search>>) => void;

/** What was let pass in spite of the rules, by whom, why and until when. */
export function ExceptionsTab() {
  const [search, change] = useSearchState(Search);
  return (
    <div className="space-y-4">
      <AllowListings search={search} change={change} />
      <Overrides after={search.after} onMove={(after) => change({ after })} />
    </div>
  );
}
