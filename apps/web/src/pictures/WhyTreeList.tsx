import type { Explanation } from '@waymark/contract';
import { StateIcon } from '../ui/StateBadge.tsx';
import { type Trail, WhyTreeReasons } from './WhyTreeReasons.tsx';
import { stateOfNode, wordOfNode } from './why-tree.ts';
import { nodeLabel } from './why-tree-label.ts';

interface ListProps {
  readonly org: string;
  readonly nodes: readonly Explanation[];
  readonly trail?: Trail | undefined;
}

/** The nodes of the tree as a plain list with nothing folded: for print, and for those who prefer it. */
export function WhyTreeList({ org, nodes, trail }: ListProps) {
  return (
    <ul className="space-y-2 [&>li>ul]:mt-1 [&>li>ul]:ml-1.5 [&>li>ul]:border-l [&>li>ul]:border-line [&>li>ul]:pl-3.5">
      {nodes.map((node, place) => (
        <li key={`${node.id} ${place}`}>
          <span className="inline-flex items-start gap-1.5">
            <span className="mt-1">
              <StateIcon state={stateOfNode(node)} size={13} />
            </span>
            <span>
              {nodeLabel(node)} <span className="text-quiet">{wordOfNode(node).toLowerCase()}</span>
            </span>
          </span>
          {(node.children.length === 0 || node.status === 'WAIVED') && (
            <div className="ml-5">
              <WhyTreeReasons org={org} node={node} trail={trail} />
            </div>
          )}
          {node.children.length > 0 && <WhyTreeList org={org} nodes={node.children} trail={trail} />}
        </li>
      ))}
    </ul>
  );
}
