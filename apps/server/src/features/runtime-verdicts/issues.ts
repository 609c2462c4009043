import type { IssueEvidence } from '@waymark/policy';

/** The content of an attestation of Jira issues. Its shape was checked when it was sent. */
export interface SentIssues {
  readonly jira_results?: readonly SentIssue[] | null;
}

interface SentIssue {
  readonly issue_id: string;
  readonly issue_exists: boolean;
  readonly issue_fields?: Readonly<Record<string, unknown>> | null;
}

/** Undefined where no status was reported, so that such evidence is the same as before statuses were read. */
export function issuesOf({ jira_results: sent }: SentIssues): IssueEvidence[] | undefined {
  const issues = (sent ?? []).map(({ issue_id, issue_exists, issue_fields }) => {
    const status = nameOf(issue_fields?.['status']);
    return { key: issue_id, exists: issue_exists, ...(status !== undefined && { status }) };
  });
  return issues.some(({ status }) => status !== undefined) ? issues : undefined;
}

const STATUS_MAX_LENGTH = 255;

/** The command line sends the name, and Jira itself an object with the name. */
function nameOf(status: unknown): string | undefined {
  const name = typeof status === 'object' && status !== null && 'name' in status ? status.name : status;
  return typeof name === 'string' ? name.slice(0, STATUS_MAX_LENGTH).toWellFormed() : undefined;
}
