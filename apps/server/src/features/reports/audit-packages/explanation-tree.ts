import type { Explanation } from '@waymark/compliance';
import { type Html, html } from '../../../platform/http/html.ts';
import { fromEpochSeconds } from '../../../platform/time.ts';
import { time } from '../kit/cells.ts';
import { complianceMark, verdictMark } from '../kit/verdict-mark.ts';
import type { Medium } from './medium.ts';
import { nodeLabel, type RequiredTypes } from './node-label.ts';

const NODES_SHOWN = 2_000;

/** What the package has besides the explanation. */
export interface Surroundings {
  readonly trailName: string;
  readonly required: RequiredTypes;
  /** Ids of the records in the package: only those are linked. */
  readonly packaged: ReadonlySet<string>;
  /** From the id of an override to the id of what it replaced. */
  readonly overrides: ReadonlyMap<string, string>;
  readonly medium: Medium;
}

/**
 * Collapses what is met, and opens what is not and what was overridden. A printed page is fully open. The reason of the
 * root is already on the page.
 */
export function explanationTree(root: Explanation, around: Surroundings): Html {
  let left = NODES_SHOWN;
  const node = (explanation: Explanation): Html | undefined => {
    if (left-- <= 0) return undefined;
    const { status, needs, because, fix, found, children } = explanation;
    return html`<details${isOpen(explanation, around) && html` open`}><summary>${verdictMark(status)} ${nodeLabel(explanation, around.trailName, around.required)}</summary>
<p><span class="quiet">needs</span> ${needs}</p>
${explanation !== root && html`<p><span class="quiet">because</span> ${because}</p>`}
${fix !== null && html`<p><span class="quiet">to do</span> ${fix}</p>`}
${found.map((it) => html`<p><span class="quiet">found</span> ${foundIn(it, around)}</p>`)}
${children.map(node)}</details>`;
  };
  const tree = html`${node(root)}`;
  if (left >= 0) return tree;
  return around.medium === 'report'
    ? html`${tree}<p>Only the first ${NODES_SHOWN} parts are shown; the audit package of the trail contains all of them.</p>`
    : html`${tree}<p>The complete explanation is in <a href="records/explanation.json">explanation.json</a>.</p>`;
}

function isOpen(explanation: Explanation, around: Surroundings): boolean {
  if (around.medium === 'report' || explanation.status !== 'COMPLIANT') return true;
  return (
    explanation.found.some(({ id }) => around.overrides.has(id)) ||
    explanation.children.some((child) => isOpen(child, around))
  );
}

function foundIn(found: Explanation['found'][number], { packaged, overrides }: Surroundings): Html {
  const { kind, id, name, isCompliant, at } = found;
  const linked = (to: string, label: Html) =>
    packaged.has(to) ? html`<a href="records/${kind}s/${to}.json">${label}</a>` : label;
  const replaced = overrides.get(id);
  return html`${linked(id, html`<bdi>${name}</bdi>`)} ${isCompliant !== null && complianceMark(isCompliant)}
<span class="quiet">received</span> ${time(fromEpochSeconds(at))}
${replaced !== undefined && html`<span class="quiet">overrides</span> ${linked(replaced, html`<code>${replaced.slice(-12)}</code>`)}`}`;
}
