import { actionStories } from './stories/actions.tsx';
import { fieldStories } from './stories/fields.tsx';
import { layoutStories } from './stories/layout.tsx';
import { pictureStories } from './stories/pictures.tsx';
import { stateStories } from './stories/states.tsx';
import type { Story } from './story.ts';

const GROUPS: readonly (readonly [string, readonly Story[]])[] = [
  ['States', [...stateStories, ...pictureStories]],
  ['Controls', [...actionStories, ...fieldStories, ...layoutStories]],
];

/** Every component of the kit in each of its states. */
export function Kit() {
  return (
    <main className="mx-auto max-w-[88rem] space-y-8 px-6 py-6">
      <h1 className="text-[22px] leading-8 font-semibold">Kit</h1>
      {GROUPS.map(([group, stories]) => (
        <section key={group} aria-label={group} data-group={group} className="space-y-4">
          <h2 className="text-[18px] font-semibold">{group}</h2>
          {stories.map(({ of, show: Show }) => (
            <section key={of} aria-label={of} data-story={of} className="rounded-lg border border-line bg-panel p-4">
              <h3 className="mb-3 font-mono text-[13px] text-quiet">{of}</h3>
              <Show />
            </section>
          ))}
        </section>
      ))}
    </main>
  );
}
