import type { Explanation } from '@waymark/contract';
import { markdownText } from '../run/output.ts';
import type { Session } from '../run/session.ts';
import { plain } from '../run/style.ts';
import { type Explained, hasNeeds, isQuiet, shownNode, withoutRepeats } from './explanation.ts';
import { foundText, signOf } from './explanation-text.ts';
import { nodeLabel } from './node-label.ts';

interface View {
  readonly session: Pick<Session, 'settings'>;
  readonly showsAll: boolean;
}

/** For a ticket, a pull request or a job summary: nested lists. */
export function explanationMarkdown({ root: whole, title, remarks, fixes }: Explained, view: View): string {
  const root = withoutRepeats(whole);
  const lines = [
    `### ${signOf(root.status, plain)} ${markdownText(title)} is ${root.status.toLowerCase()}`,
    '',
    ...remarks.flatMap((remark) => [markdownText(remark), '']),
    ...(root.status === 'UNKNOWN' ? [`- because: ${markdownText(root.because)}`] : []),
    ...(root.children.length === 0 && root.status !== 'UNKNOWN' ? reasons(root, '', view) : []),
    ...root.children.flatMap((child) => items(shownNode(child), '', view)),
    ...(fixes.length === 0
      ? []
      : ['', '**To fix:**', '', ...fixes.map((fix, at) => `${at + 1}. ${markdownText(fix)}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

function items(node: Explanation, indent: string, view: View): string[] {
  const head = `${indent}- ${signOf(node.status, plain)} ${markdownText(nodeLabel(node))}`;
  if (!view.showsAll && isQuiet(node)) return [`${head}: ${markdownText(node.because)}`];
  const below = `${indent}  `;
  if (node.children.length === 0) return [head, ...reasons(node, below, view)];
  const reason = node.status === 'WAIVED' ? [`${below}- because: ${markdownText(node.because)}`] : [];
  return [head, ...reason, ...node.children.flatMap((child) => items(shownNode(child), below, view))];
}

function reasons(node: Explanation, indent: string, view: View): string[] {
  const { needs, found, because } = node;
  if (!hasNeeds(node)) return because === '' ? [] : [`${indent}- because: ${markdownText(because)}`];
  const seen = found.length === 0 ? ['nothing'] : found.map((one) => foundText(one, view));
  return [
    `${indent}- needs: ${markdownText(needs)}`,
    ...seen.map((text) => `${indent}- found: ${markdownText(text)}`),
    `${indent}- because: ${markdownText(because)}`,
  ];
}
