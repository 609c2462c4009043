import { annotate, summarise } from '../../evidence/ci-output.ts';
import type { Outcome } from '../../run/outcome.ts';
import { markdownText } from '../../run/output.ts';
import type { Session } from '../../run/session.ts';
import type { Style } from '../../run/style.ts';
import { oneLine } from '../../run/table.ts';

export interface Problem {
  readonly why: string;
  readonly fix?: string | null | undefined;
}

export interface Verdict {
  readonly ending: 'done' | 'nonCompliant' | 'unknown';
  /** In capitals, as in the API, and whether a report is overdue. */
  readonly state: string;
  /** The subject of the verdict. */
  readonly about: string;
  /** A short reason. */
  readonly summary?: string | undefined;
  readonly problems: readonly Problem[];
  readonly page: string;
  /** The response of the API. */
  readonly data: unknown;
}

const SHOWN = 10;
const SIGNS = { done: '✓', nonCompliant: '✕', unknown: '?' } as const;

export function outcomeOf(session: Session, verdict: Verdict): Outcome {
  const { ending, state, about, problems, data, page } = verdict;
  if (ending !== 'done') {
    const message = [verdict.summary, ...problems.slice(0, SHOWN).map(({ why }) => why)].filter(Boolean).join('\n');
    annotate(session, { level: 'error', title: `${state} ${about}`, message: message || state });
  }
  const markdown = markdownOf(verdict);
  summarise(session, `${markdown}\n`, `assert-${about}`);
  return { ending, data, text: (style) => textOf(verdict, style), markdown, page };
}

function markdownOf({ ending, state, about, summary, problems, page }: Verdict): string {
  const more = problems.length - SHOWN;
  const lines = problems.slice(0, SHOWN).map(({ why, fix }) => {
    const reason = why === summary && fix ? [] : [markdownText(why)];
    return `- ${[...reason, ...(fix ? [`**fix:** ${markdownText(fix)}`] : [])].join(' ')}`;
  });
  return [
    `**${SIGNS[ending]} ${markdownText(state)}** ${markdownText(about)}${summary === undefined ? '' : ` — ${markdownText(summary)}`}`,
    ...(lines.length > 0 ? ['', ...lines, ...(more > 0 ? [`- … and ${more} more`] : [])] : []),
    '',
    page,
  ].join('\n');
}

/** What to do where nothing judges. */
export function attachFix(environment: string): string {
  return `Attach a policy to the environment: waymark env policies attach ${environment} POLICY`;
}

function textOf({ ending, state, about, summary, problems, page }: Verdict, style: Style): string {
  const colour = { done: style.good, nonCompliant: style.bad, unknown: style.doubtful }[ending];
  const why = summary === undefined ? '' : ` — ${oneLine(summary)}`;
  const more = problems.length - SHOWN;
  return [
    `${colour(`${SIGNS[ending]} ${state}`)} ${oneLine(about)}${why}`,
    ...problems.slice(0, SHOWN).flatMap((problem) => linesOf(problem, style, summary)),
    ...(more > 0 ? [`  … and ${more} more`] : []),
    ...(ending === 'done' ? [] : [`  ${style.strong('page:')} ${page}`]),
  ].join('\n');
}

/** Does not repeat the first line. */
function linesOf({ why, fix }: Problem, style: Style, shown: string | undefined): string[] {
  const fixed = fix ? [`${style.strong('fix:')} ${oneLine(fix)}`] : [];
  if (why === shown) return fixed.map((line) => `  ${line}`);
  return [`  ${oneLine(why)}`, ...fixed.map((line) => `    ${line}`)];
}

/** The explanation of the API, as far as it is needed here. */
export interface Explained {
  readonly kind: string;
  readonly status: string;
  readonly because: string;
  readonly fix: string | null;
  readonly children: readonly Explained[];
}

const FAILS = new Set(['NON-COMPLIANT', 'MISSING', 'INCOMPLETE']);

/** Returns the deepest failing nodes, each reason once: the nodes above only repeat them. */
export function problemsIn(explained: Explained, isAsked: (child: Explained) => boolean = () => true): Problem[] {
  const found = new Map(leavesOf(explained, isAsked).map((leaf) => [leaf.because, leaf]));
  return [...found.values()].map(({ because, fix }) => ({ why: because, fix }));
}

function leavesOf(node: Explained, isAsked: (child: Explained) => boolean): Explained[] {
  const failing = node.children.filter((child) => FAILS.has(child.status) && isAsked(child));
  if (failing.length > 0) return failing.flatMap((child) => leavesOf(child, () => true));
  return FAILS.has(node.status) ? [node] : [];
}
