import type { WhereComponent } from '@waymark/contract';
import { Notice } from '../../ui/Panel.tsx';

type Counts = NonNullable<WhereComponent['coverage']>;

/** What the answer cannot know, or that it knows everything. */
export function Coverage({ of }: { readonly of: Counts }) {
  const { running, without_sbom: without, unidentified, is_complete } = of;
  const total = `${running.toLocaleString('en')} running ${running === 1 ? 'artifact' : 'artifacts'}`;
  if (without === 0 && unidentified === 0 && is_complete) {
    return running === 0 ? null : <Notice kind="good">Each of {total} has an SBOM.</Notice>;
  }
  const least = is_complete ? '' : 'At least ';
  return (
    <Notice kind="unsure" title={`${least}${without.toLocaleString('en')} of ${total} without SBOM`}>
      They may contain the component too.
      {unidentified > 0 &&
        ` ${unidentified.toLocaleString('en')} more ${unidentified === 1 ? 'run has' : 'runs have'} no fingerprint, so no SBOM can describe ${unidentified === 1 ? 'it' : 'them'}.`}
    </Notice>
  );
}
