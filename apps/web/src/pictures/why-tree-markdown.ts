import type { Explanation } from '@waymark/contract';
import { hasNeeds, isQuiet, ownReason, repeatsNeeds, shownNode } from './why-tree.ts';
import { nodeLabel } from './why-tree-label.ts';

interface ToCopy {
  /** The subject, such as `production`. */
  readonly title: string;
  readonly root: Explanation;
  readonly remarks: readonly string[];
  readonly fixes: readonly string[];
  /** The address of the page. */
  readonly address: string;
}

/** Nested lists in Markdown, for a ticket or a pull request. */
export function explanationMarkdown({ title, root, remarks, fixes, address }: ToCopy): string {
  const lines = [
    `### ${signOf(root.status)} ${plain(title)} is ${root.status.toLowerCase()}`,
    '',
    ...[...remarks, root.because].filter(Boolean).flatMap((remark) => [plain(remark), '']),
    ...root.children.flatMap((child) => items(shownNode(child), '')),
    ...(fixes.length === 0 ? [] : ['', '**To fix:**', '', ...fixes.map((fix, at) => `${at + 1}. ${plain(fix)}`)]),
    '',
    address,
  ];
  return `${lines.join('\n')}\n`;
}

function items(node: Explanation, indent: string): string[] {
  const head = `${indent}- ${signOf(node.status)} ${plain(nodeLabel(node))}`;
  if (isQuiet(node)) return [`${head}: ${plain(ownReason(node))}`];
  const below = `${indent}  `;
  if (node.children.length === 0) return [head, ...reasons(node, below)];
  const reason = node.status === 'WAIVED' ? [`${below}- because: ${plain(node.because)}`] : [];
  return [head, ...reason, ...node.children.flatMap((child) => items(child, below))];
}

function reasons(node: Explanation, indent: string): string[] {
  const found = node.found.map(({ name }) => name).join(', ') || 'nothing';
  return [
    ...(hasNeeds(node) && !repeatsNeeds(node) ? [`${indent}- needs: ${plain(node.needs)}`] : []),
    ...(hasNeeds(node) ? [`${indent}- found: ${plain(found)}`] : []),
    `${indent}- because: ${plain(ownReason(node))}`,
    ...(node.fix === null ? [] : [`${indent}- fix: ${plain(node.fix)}`]),
  ];
}

/** Every state has a sign, for those who cannot see the color. */
function signOf(status: string): string {
  if (status === 'COMPLIANT') return '✓';
  if (status === 'WAIVED') return '◐';
  return status === 'UNKNOWN' || status === 'NOT-APPLICABLE' ? '?' : '✕';
}

/** On one line, with Markdown escaped. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>#|~]/g, '\\$&');
}
