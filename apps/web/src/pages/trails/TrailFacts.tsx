import type { Trail } from '@waymark/contract';
import { Digits } from '../../ui/Copy.tsx';
import { OutsideLink } from '../../ui/Link.tsx';
import { Facts, Panel } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { linksOf } from '../attestations/AttestationFacts.tsx';
import { isBlank, JsonView } from '../attestations/JsonView.tsx';
import { SealMark } from '../attestations/SealMark.tsx';
import { commitSeal } from '../attestations/seal.ts';

/** The change that this is about, and where it came from. */
export function TrailFacts({ trail }: { readonly trail: Trail }) {
  const commit = trail.git_commit_info;
  return (
    <Panel title="Change">
      <Facts
        rows={[
          ['Commit', commit ? <Commit key="commit" commit={commit} /> : 'not reported'],
          ['Message', commit?.message ? <span className="whitespace-pre-line">{commit.message}</span> : null],
          ['Author', commit?.author || commit?.author_username || null],
          ['Branch', commit?.branch ? <code key="branch">{commit.branch}</code> : null],
          ['Committed', commit?.timestamp ? <Time key="committed" at={commit.timestamp} as="exact" /> : null],
          ['Origin URL', trail.origin_url && <OutsideLink href={trail.origin_url}>{trail.origin_url}</OutsideLink>],
          ...linksOf(trail.external_urls).map(
            ([label, href]) =>
              [
                label,
                <OutsideLink key={label} href={href}>
                  {href}
                </OutsideLink>,
              ] as const,
          ),
          ['Description', ownDescription(trail)],
          [
            'Started',
            <span key="begun">
              <Time at={trail.created_at} as="exact" /> by {trail.created_by}
            </span>,
          ],
          ['Last report', <Time key="last" at={trail.last_modified_at} as="exact" />],
        ]}
      />
      {!isBlank(trail.user_data) && (
        <details className="mt-3">
          <summary className="mb-2 cursor-pointer text-quiet hover:text-ink">Data from the reporter</summary>
          <JsonView value={trail.user_data} what="data" />
        </details>
      )}
    </Panel>
  );
}

/** Reporters often send the message of the commit as the description. */
function ownDescription({ description, git_commit_info: commit }: Trail): string | null {
  return description === '' || description.trim() === commit?.message?.trim() ? null : description;
}

function Commit({ commit }: { readonly commit: NonNullable<Trail['git_commit_info']> }) {
  const seal = commitSeal(commit);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Digits text={commit.sha1} what="commit" length={10} />
      {commit.url && <OutsideLink href={commit.url}>Show commit</OutsideLink>}
      {seal !== null && <SealMark seal={seal} />}
    </span>
  );
}
