import type { Explanation } from '@waymark/contract';
import { ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button as AriaButton, Collection, type Key, Tree, TreeItem, TreeItemContent } from 'react-aria-components';
import { paths } from '../lib/paths.ts';
import { Button } from '../ui/Button.tsx';
import { classes } from '../ui/classes.ts';
import { Link } from '../ui/Link.tsx';
import { StateIcon } from '../ui/StateBadge.tsx';
import { type Trail, WhyTreeReasons } from './WhyTreeReasons.tsx';
import {
  allKeys,
  isQuiet,
  openFromTheStart,
  ownReason,
  type Row,
  rowsOf,
  stateOfNode,
  wordOfNode,
} from './why-tree.ts';
import { artifactOf, nodeLabel, policyOf } from './why-tree-label.ts';

const SHOWN_PER_STEP = 25;

interface WhyTreeProps {
  readonly org: string;
  /** The title of the tree, such as `Why production is not compliant`. */
  readonly label: string;
  /** As returned by `shownNode`. */
  readonly nodes: readonly Explanation[];
  readonly trail?: Trail | undefined;
}

/** Passing nodes are folded, failing ones are open down to their reasons. Arrow keys move, open and close. */
export function WhyTree({ org, label, nodes, trail }: WhyTreeProps) {
  const [count, setCount] = useState(SHOWN_PER_STEP);
  const rows = useMemo(() => rowsOf(nodes.slice(0, count)), [nodes, count]);
  const folding = useFolding(rows);
  const left = nodes.length - count;
  return (
    <>
      <div className="flex flex-wrap gap-1 border-b border-line px-3 py-1.5 no-print">
        <Button variant="quiet" className="!px-2 !py-0.5" onPress={folding.openAll}>
          Expand all
        </Button>
        <Button variant="quiet" className="!px-2 !py-0.5" onPress={folding.closeAll}>
          Collapse all
        </Button>
      </div>
      <Tree
        aria-label={label}
        items={rows}
        dependencies={[org, trail]}
        expandedKeys={folding.open}
        onExpandedChange={folding.change}
        className="py-1 outline-none print:hidden"
      >
        {(row) => <TreeRow row={row} org={org} trail={trail} />}
      </Tree>
      {left > 0 && (
        <div className="border-t border-line px-4 py-2 no-print">
          <Button onPress={() => setCount(count + SHOWN_PER_STEP)}>
            Show {Math.min(left, SHOWN_PER_STEP)} more of {left}
          </Button>
        </div>
      )}
    </>
  );
}

/** Nodes that the reader folded or unfolded stay that way after a refetch. */
function useFolding(rows: readonly Row[]) {
  const [turned, setTurned] = useState<ReadonlySet<Key>>(new Set());
  const start = useMemo(() => new Set<Key>(openFromTheStart(rows)), [rows]);
  const open = useMemo(() => start.symmetricDifference(turned), [start, turned]);
  const change = (keys: ReadonlySet<Key>) => setTurned(start.symmetricDifference(keys));
  return { open, change, openAll: () => change(new Set(allKeys(rows))), closeAll: () => change(new Set()) };
}

interface RowProps {
  readonly row: Row;
  readonly org: string;
  readonly trail: Trail | undefined;
}

function TreeRow({ row, org, trail }: RowProps) {
  const { node, part } = row;
  const text = part === 'head' ? `${wordOfNode(node)}: ${nodeLabel(node)}` : reasonsText(node);
  return (
    <TreeItem
      id={row.key}
      textValue={text}
      className="outline-none data-[focus-visible]:bg-accent-wash data-[focus-visible]:outline-2 data-[focus-visible]:-outline-offset-2 data-[focus-visible]:outline-accent"
    >
      <TreeItemContent>
        {({ level, isExpanded, hasChildItems }) => (
          <div
            className="py-1 pr-4"
            style={{ paddingLeft: `calc(${level - 1} * clamp(0.6rem, 2.2vw, 1.4rem) + 0.6rem)` }}
          >
            {part === 'head' ? (
              <Head node={node} org={org} isOpen={isExpanded} isFoldable={hasChildItems} />
            ) : (
              <div className="ml-3 rounded-md sm:ml-6 border-l-2 border-line bg-raised/60 px-3 py-2">
                <WhyTreeReasons org={org} node={node} trail={trail} />
              </div>
            )}
          </div>
        )}
      </TreeItemContent>
      <Collection items={row.rows} dependencies={[org, trail]}>
        {(below) => <TreeRow row={below} org={org} trail={trail} />}
      </Collection>
    </TreeItem>
  );
}

interface HeadProps {
  readonly node: Explanation;
  readonly org: string;
  readonly isOpen: boolean;
  readonly isFoldable: boolean;
}

function Head({ node, org, isOpen, isFoldable }: HeadProps) {
  return (
    <div className="flex items-start gap-1.5">
      <AriaButton
        slot="chevron"
        className={classes('mt-0.5 cursor-pointer rounded p-0.5 text-quiet hover:text-ink', !isFoldable && 'invisible')}
      >
        <ChevronRight size={14} aria-hidden className={classes('transition-transform', isOpen && 'rotate-90')} />
      </AriaButton>
      <span className="mt-1">
        <StateIcon state={stateOfNode(node)} />
      </span>
      <div className="min-w-0 flex-1 pt-px [overflow-wrap:anywhere]">
        <span className={classes(!isQuiet(node) && 'font-medium')}>{nodeLabel(node)}</span>{' '}
        <span className="text-[12.5px] text-quiet">{wordOfNode(node).toLowerCase()}</span>
        <Elsewhere node={node} org={org} />
        {isQuiet(node) && !isOpen && <span className="ml-2 text-[13px] text-quiet">{ownReason(node)}</span>}
      </div>
    </div>
  );
}

/** The page of the node's subject. */
function Elsewhere({ node, org }: { readonly node: Explanation; readonly org: string }) {
  if (node.kind === 'policy') {
    const { name, version } = policyOf(node);
    return <Way href={paths.policy(org, name, version)}>Open policy</Way>;
  }
  if (node.kind !== 'artifact') return null;
  const { digits } = artifactOf(node.id);
  return digits === undefined ? null : <Way href={paths.anyArtifact(org, digits)}>Open artifact</Way>;
}

function Way({ href, children }: { readonly href: string; readonly children: React.ReactNode }) {
  return (
    <Link href={href} className="ml-2 text-[12.5px]">
      {children}
    </Link>
  );
}

function reasonsText(node: Explanation): string {
  const { needs, found, fix } = node;
  const seen = found.map(({ name }) => name).join(', ') || 'nothing';
  return `Needs ${needs} Found ${seen}. Because ${ownReason(node)}${fix === null ? '' : ` Fix: ${fix}`}`;
}
