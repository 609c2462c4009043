import type { Attestation } from '@waymark/contract';
import { counted } from '../../lib/counted.ts';
import { Digits } from '../../ui/Copy.tsx';
import { OutsideLink } from '../../ui/Link.tsx';
import { Facts, Notice, Panel } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { type PullRequest, pullRequestsOf } from './evidence.ts';
import { PlainTable } from './PlainTable.tsx';
import { type Duties, dutiesOf } from './separation-of-duties.ts';
import { pullRequestName } from './summary.ts';

const NOTICE_KINDS: Readonly<Record<Duties['verdict'], 'good' | 'bad' | 'unsure'>> = {
  separate: 'good',
  same: 'bad',
  unapproved: 'unsure',
  unknown: 'unsure',
};
const TITLES: Readonly<Record<Duties['verdict'], string>> = {
  separate: 'Approved by someone other than the author',
  same: 'Approved by its author',
  unapproved: 'No approval',
  unknown: 'Author unknown',
};

export function PullRequestReader({ of }: { readonly of: Attestation }) {
  const pulls = pullRequestsOf(of);
  if (!pulls) return null;
  if (pulls.length === 0)
    return (
      <Panel title="Pull requests">
        <p className="text-quiet">No pull request contains the commit.</p>
      </Panel>
    );
  return pulls.map((pull, place) => <OnePullRequest key={`${place} ${pull.url}`} pull={pull} />);
}

function OnePullRequest({ pull }: { readonly pull: PullRequest }) {
  const duties = dutiesOf(pull);
  const reviews = pull.reviews ?? [];
  const commits = pull.commits ?? [];
  return (
    <Panel title={pull.title ? `${pullRequestName(pull.url)}: ${pull.title}` : pullRequestName(pull.url)}>
      <Notice kind={NOTICE_KINDS[duties.verdict]} title={TITLES[duties.verdict]}>
        {duties.summary}
      </Notice>
      <div className="mt-3">
        <Facts
          rows={[
            [
              'URL',
              <OutsideLink key="url" href={pull.url}>
                {pull.url}
              </OutsideLink>,
            ],
            ['State', pull.state],
            ['Author', pull.author],
            ['Approvers', duties.approvers.length === 0 ? 'none' : duties.approvers.join(', ')],
            ['Branches', pull.head_ref && pull.base_ref ? `${pull.head_ref} into ${pull.base_ref}` : pull.head_ref],
            ['Merged as', pull.merge_commit ? <Digits key="merge" text={pull.merge_commit} what="commit" /> : null],
            ['Opened', pull.created_at ? <Time key="opened" at={pull.created_at} as="exact" /> : null],
            ['Merged', pull.merged_at ? <Time key="merged" at={pull.merged_at} as="exact" /> : null],
          ]}
        />
      </div>
      {reviews.length > 0 && (
        <div className="mt-3">
          <h3 className="mb-1 font-semibold">Reviews</h3>
          <PlainTable
            caption="Reviews"
            head={['Reviewer', 'Review', 'When']}
            rows={reviews.map(({ username, state, timestamp }) => [
              username,
              state,
              <Time key="when" at={timestamp} as="exact" />,
            ])}
          />
        </div>
      )}
      {commits.length > 0 && (
        <details className="mt-3">
          <summary className="cursor-pointer text-quiet hover:text-ink">{counted(commits.length, 'commit')}</summary>
          <PlainTable
            caption="Commits"
            head={['Commit', 'Author', 'Message']}
            rows={commits.map(({ sha1, author_username, author, message }) => [
              <Digits key="commit" text={sha1} what="commit" />,
              author_username || author || '–',
              (message ?? '').split('\n')[0] ?? '',
            ])}
          />
        </details>
      )}
    </Panel>
  );
}
