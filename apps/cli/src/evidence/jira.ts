import { CliError, usageError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';
import { apiAddress, askJson, basic, bearer } from './ask-api.ts';

const ISSUE = /(?<![A-Za-z0-9-])[A-Z][A-Z0-9_]{1,19}-[1-9]\d{0,9}(?![\w-])/g;
/** These have the form of issue keys, and appear in messages for other reasons. */
const NO_PROJECTS = new Set(['UTF', 'SHA', 'ISO', 'RFC', 'CVE', 'AES', 'GHSA', 'CWE', 'PEP', 'ADR', 'HTTP', 'TLS']);
const MAX_ISSUES = 50;

/** Returns references to issues, each once; of the given projects if there are any. */
export function issuesIn(text: string, projects: readonly string[]): string[] {
  const found = [...new Set(text.match(ISSUE) ?? [])];
  const isMeant = (issue: string) => {
    const project = issue.slice(0, issue.lastIndexOf('-'));
    return projects.length > 0 ? projects.includes(project) : !NO_PROJECTS.has(project);
  };
  return found.filter(isMeant).slice(0, MAX_ISSUES);
}

export interface JiraSite {
  readonly url: string;
  readonly authorization: string | undefined;
}

export function jiraSite({ io }: Session, given: string | undefined): JiraSite {
  const url = given ?? io.env['JIRA_URL'] ?? io.env['JIRA_BASE_URL'];
  if (!url) {
    throw usageError(
      'The URL of Jira is not set, so the issues cannot be looked up',
      'Set JIRA_URL and JIRA_TOKEN, or add --assume-exists',
    );
  }
  const token = io.env['JIRA_TOKEN'] || io.env['JIRA_API_TOKEN'];
  const user = io.env['JIRA_USER'] || io.env['JIRA_EMAIL'] || io.env['JIRA_USERNAME'];
  const authorization = token && (user ? basic(user, token) : bearer(token));
  return { url: apiAddress(url, 'JIRA_URL'), authorization: authorization || undefined };
}

const FIELDS = ['summary', 'status', 'issuetype'];

/** Whether an issue exists. Throws when Jira cannot answer. */
export async function findIssue(session: Session, { url, authorization }: JiraSite, issue: string): Promise<object> {
  const { status, body } = await askJson(session, {
    service: 'Jira',
    url: `${url}/rest/api/2/issue/${encodeURIComponent(issue)}?fields=${FIELDS.join(',')}`,
    headers: authorization === undefined ? {} : { authorization },
    accepted: [404],
  });
  const shown = { issue_id: issue, issue_url: `${url}/browse/${issue}` };
  if (status === 404) {
    // Jira also answers unauthenticated requests with 404.
    if (authorization === undefined) {
      throw new CliError('denied', `Jira does not show ${issue} without sign-in`, {
        fix: 'Set JIRA_TOKEN, and for Jira Cloud also JIRA_USER',
      });
    }
    return { ...shown, issue_exists: false };
  }
  const fields = (body as { fields?: Record<string, unknown> } | null)?.fields;
  return { ...shown, issue_exists: true, ...(fields && { issue_fields: namesOf(fields) }) };
}

function namesOf(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    FIELDS.filter((name) => fields[name] !== undefined && fields[name] !== null).map((name) => {
      const value = fields[name] as string | { name?: unknown };
      return [name, typeof value === 'object' ? value.name : value];
    }),
  );
}
