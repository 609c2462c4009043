import type { Explanation } from '@waymark/contract';
import type { Session } from '../run/session.ts';
import { showTime } from '../run/show-time.ts';
import type { Style } from '../run/style.ts';
import { cut, oneLine, widthOf } from '../run/table.ts';
import { type Explained, hasNeeds, isQuiet, shownNode, withoutRepeats } from './explanation.ts';
import { nodeLabel } from './node-label.ts';

interface View {
  readonly style: Style;
  readonly session: Pick<Session, 'settings'>;
  /** Whether passing nodes are shown with all their reasons, too. */
  readonly showsAll: boolean;
}

/** The number of passing nodes to name; more are counted. */
const QUIET_NAMED = 3;
const NARROWEST = 40;

export function explanationText({ root: whole, title, remarks, fixes }: Explained, view: View): string {
  const root = withoutRepeats(whole);
  const { style } = view;
  const lines = [
    `${signOf(root.status, style)} ${style.strong(oneLine(title))} is ${root.status.toLowerCase()}`,
    ...remarks.map((remark) => `  ${style.faint(oneLine(remark))}`),
    ...(root.status === 'UNKNOWN' ? labelled('because', root.because, '  ', view) : []),
    ...(root.children.length === 0 && root.status !== 'UNKNOWN' ? reasonLines(root, '  ', view) : []),
    ...childLines(root.children, '', view),
  ];
  return [...lines, ...fixLines(fixes, style)].join('\n');
}

function childLines(children: readonly Explanation[], indent: string, view: View): string[] {
  const quiet = view.showsAll ? [] : children.filter(isQuiet);
  const isFolded = quiet.length > QUIET_NAMED;
  const shown = isFolded ? children.filter((child) => !isQuiet(child)) : children;
  const blocks = shown.map((child, at) => {
    const isLast = at === shown.length - 1 && !isFolded;
    return nodeLines(shownNode(child), indent, isLast, view);
  });
  const folded = isFolded
    ? [`${indent}└─ ${view.style.good('✓')} ${view.style.faint(`${quiet.length} more pass; show them with --all`)}`]
    : [];
  return [...blocks.flat(), ...folded];
}

function nodeLines(node: Explanation, indent: string, isLast: boolean, view: View): string[] {
  const { style, showsAll } = view;
  const head = `${indent}${isLast ? '└─' : '├─'} ${signOf(node.status, style)} ${oneLine(nodeLabel(node))}`;
  const below = `${indent}${isLast ? '   ' : '│  '}`;
  if (!showsAll && isQuiet(node)) {
    const room = Math.max(NARROWEST, style.columns - widthOf(head) - 2);
    return [`${head}${style.faint(`  ${cut(oneLine(node.because), room)}`)}`];
  }
  if (node.children.length > 0) {
    const reason = node.status === 'WAIVED' ? labelled('because', node.because, below, view) : [];
    return [head, ...reason, ...childLines(node.children, below, view)];
  }
  return [head, ...reasonLines(node, `${below}  `, view)];
}

/** The parts of a leaf. */
function reasonLines(node: Explanation, indent: string, view: View): string[] {
  const { needs, found, because } = node;
  if (!hasNeeds(node)) return because === '' ? [] : labelled('because', because, indent, view);
  return [
    ...labelled('needs', needs, indent, view),
    ...(found.length === 0 ? labelled('found', 'nothing', indent, view) : []),
    ...found.flatMap((one) => labelled('found', foundText(one, view), indent, view)),
    ...labelled('because', because, indent, view),
  ];
}

export function foundText(
  { name, type, is_compliant, at }: Explanation['found'][number],
  { session }: Pick<View, 'session'>,
): string {
  const verdict = is_compliant === null ? '' : is_compliant ? ', compliant' : ', not compliant';
  const time = at === null ? '' : `, ${showTime(at, session)}`;
  return `${name}${type === null ? '' : ` (${type})`}${verdict}${time}`;
}

function labelled(label: string, text: string, indent: string, { style }: View): string[] {
  const start = `${indent}${label.padEnd(7)}  `;
  const width = Math.max(NARROWEST, style.columns - start.length);
  const [first = '', ...more] = filled(oneLine(text), width);
  return [
    `${indent}${style.faint(label.padEnd(7))}  ${first}`,
    ...more.map((line) => `${indent}${' '.repeat(9)}${line}`),
  ];
}

function fixLines(fixes: readonly string[], style: Style): string[] {
  const [first, ...others] = fixes;
  if (first === undefined) return [];
  const width = Math.max(NARROWEST, style.columns - 5);
  const lines = (fix: string) => filled(oneLine(fix), width);
  if (others.length === 0) return [`${style.strong('To fix:')} ${lines(first).join('\n        ')}`];
  return [
    style.strong('To fix:'),
    ...fixes.map((fix, at) => `${`${at + 1}.`.padStart(4)} ${lines(fix).join('\n     ')}`),
  ];
}

/** Breaks between words; a longer word stays whole, so that it can be copied. */
function filled(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Every state has a sign, for readers who do not see colors. */
export function signOf(status: string, style: Style): string {
  if (status === 'COMPLIANT') return style.good('✓');
  if (status === 'WAIVED') return style.doubtful('✓');
  return status === 'UNKNOWN' || status === 'INCOMPLETE' ? style.doubtful('?') : style.bad('✕');
}
