import type { Attestation } from '@waymark/contract';
import { counted } from '../../lib/counted.ts';
import { OutsideLink } from '../../ui/Link.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { type Issue, issuesOf } from './evidence.ts';
import { PlainTable } from './PlainTable.tsx';

export function IssuesReader({ of }: { readonly of: Attestation }) {
  const issues = issuesOf(of);
  if (!issues) return null;
  return (
    <Panel title={counted(issues.length, 'issue')}>
      {issues.length === 0 ? (
        <p className="text-quiet">Neither the commit nor the branch refers to an issue.</p>
      ) : (
        <PlainTable
          caption="Issues"
          head={['Issue', 'Status', 'Summary']}
          rows={issues.map((issue) => [
            issue.issue_url ? (
              <OutsideLink href={issue.issue_url}>{issue.issue_id}</OutsideLink>
            ) : (
              <span>{issue.issue_id}</span>
            ),
            <StateBadge
              key="exists"
              state={issue.issue_exists ? 'compliant' : 'non-compliant'}
              word={issue.issue_exists ? 'Found' : 'Not found'}
            />,
            aboutOf(issue) || '–',
          ])}
        />
      )}
    </Panel>
  );
}

/** Trackers send a text, or an object with a name. */
function aboutOf({ issue_fields }: Issue): string {
  return ['summary', 'status', 'issuetype', 'priority']
    .map((name) => textIn(issue_fields?.[name]))
    .filter((text) => text !== '')
    .join(' · ');
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return 'name' in value && typeof value.name === 'string' ? value.name : '';
}
