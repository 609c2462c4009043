import type { Explanation } from '@waymark/compliance';
import { type Html, html } from '../../platform/http/html.ts';
import { verdictMark } from './verdict-mark.ts';

const NODES_SHOWN = 2_000;

/** What is met is folded away; what is not stands open. Only records that are in the package are linked. */
export function explanationTree(root: Explanation, packaged: ReadonlySet<string>): Html {
  let left = NODES_SHOWN;
  const node = (explanation: Explanation, parent: string): Html | undefined => {
    if (left-- <= 0) return undefined;
    const isMet = explanation.status === 'COMPLIANT';
    return html`<details${isMet ? '' : html` open`}><summary>${verdictMark(explanation.status)} <bdi>${stepFrom(parent, explanation.id)}</bdi></summary>
<p><span class="quiet">needs</span> ${explanation.needs}</p>
<p><span class="quiet">because</span> ${explanation.because}</p>
${explanation.fix !== null && html`<p><span class="quiet">to do</span> ${explanation.fix}</p>`}
${explanation.found.map((found) => html`<p><span class="quiet">found</span> ${linkTo(found, packaged)}</p>`)}
${explanation.children.map((child) => node(child, explanation.id))}</details>`;
  };
  const tree = html`${node(root, '')}`;
  return left < 0 ? html`${tree}<p>All of it is in <a href="records/explanation.json">explanation.json</a>.</p>` : tree;
}

function linkTo({ kind, id, name }: Explanation['found'][number], packaged: ReadonlySet<string>): Html {
  if (!packaged.has(id)) return html`<bdi>${name}</bdi>`;
  return html`<a href="records/${kind}s/${id}.json"><bdi>${name}</bdi></a>`;
}

/** Ids are paths: below its parent only the rest has to be said. */
function stepFrom(parent: string, id: string): string {
  return id.startsWith(`${parent}/`) ? id.slice(parent.length + 1) : id;
}
