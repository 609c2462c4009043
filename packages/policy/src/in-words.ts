import type { FlowEvidence } from './evidence.ts';

const MAX_LISTED = 3;

/** "In flow 'web', trail 'release-7',": how a sentence begins. */
export function inFlow({ flow, trail }: FlowEvidence): string {
  return `In flow '${flow.name}', trail '${trail.name}',`;
}

/** How a sentence ends. */
export function ofFlow({ flow, trail }: FlowEvidence): string {
  return `in trail '${trail.name}' of flow '${flow.name}'`;
}

/** "a", "a and b", "a, b and 4 more"; `total` counts those, too, that are not at hand. */
export function listed(items: readonly string[], total = items.length): string {
  const shown = total > MAX_LISTED ? items.slice(0, MAX_LISTED - 1) : items;
  const rest = total - shown.length;
  const all = rest > 0 ? [...shown, `${rest} more`] : shown;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
