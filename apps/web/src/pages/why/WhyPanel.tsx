import type { Explanation } from '@waymark/contract';
import { useMemo } from 'react';
import { usePreferences } from '../../lib/preferences.ts';
import { absolute } from '../../lib/time.ts';
import { WhyTree } from '../../pictures/WhyTree.tsx';
import { WhyTreeList } from '../../pictures/WhyTreeList.tsx';
import type { Trail } from '../../pictures/WhyTreeReasons.tsx';
import { onlyFailing, shownNode, stateOfNode, wordOfNode } from '../../pictures/why-tree.ts';
import { explanationMarkdown } from '../../pictures/why-tree-markdown.ts';
import { usePrinting } from '../../pictures/why-tree-print.ts';
import { CopyButton } from '../../ui/Copy.tsx';
import { Checkbox } from '../../ui/Fields.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StaleMark } from '../../ui/StaleMark.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Empty } from '../../ui/States.tsx';
import { Unfolded } from './Unfolded.tsx';

interface WhyPanelProps {
  readonly org: string;
  /** The subject, such as `production`. */
  readonly subject: string;
  readonly root: Explanation;
  readonly trail?: Trail;
  readonly fixes: readonly string[];
  /** Since when, and how long ago that was. */
  readonly note: React.ReactNode;
  /** When it began to fail, in seconds. */
  readonly brokeAt?: number | null;
  /** A report is overdue. */
  readonly isStale?: boolean;
  readonly failingOnly: boolean;
  readonly onFailingOnly: (on: boolean) => void;
}

/** One verdict and its tree, with filters and exports. */
export function WhyPanel({ org, subject, root, trail, fixes, note, brokeAt, isStale = false, ...only }: WhyPanelProps) {
  const { zone } = usePreferences();
  const isPrinting = usePrinting();
  const all = useMemo(() => root.children.map(shownNode), [root]);
  const nodes = useMemo(() => (only.failingOnly ? onlyFailing(all) : all), [all, only.failingOnly]);
  const word = wordOfNode(root).toLowerCase();
  const title = `Why ${subject} is ${word}`;
  const remarks = [
    ...(isStale ? ['Stale: a report is overdue, so what runs now may differ.'] : []),
    ...(brokeAt ? [`Since ${absolute(brokeAt, zone)}`] : []),
  ];
  const toCopy = explanationMarkdown({ title: subject, root, remarks, fixes, address: location.href });
  return (
    <Panel
      flush
      title={title}
      note={
        <span className="inline-flex flex-wrap items-center gap-1.5">
          <StateBadge state={stateOfNode(root)} word={wordOfNode(root)} />
          {isStale && <StaleMark />}
        </span>
      }
      actions={
        <>
          <div className="no-print">
            <Checkbox isSelected={only.failingOnly} onChange={only.onFailingOnly}>
              Failures only
            </Checkbox>
          </div>
          <CopyButton text={toCopy} what="as Markdown" label="Copy as Markdown" />
        </>
      }
    >
      <div className="border-b border-line px-4 pb-3 [overflow-wrap:anywhere]">
        <p>{root.because}</p>
        <div className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-quiet">{note}</div>
      </div>
      {nodes.length === 0 ? (
        <NothingBelow failingOnly={only.failingOnly} root={root} />
      ) : (
        <WhyTree org={org} label={title} nodes={nodes} trail={trail} />
      )}
      {isPrinting ? (
        <div className="px-4 py-3">
          <WhyTreeList org={org} nodes={nodes} trail={trail} />
        </div>
      ) : (
        nodes.length > 0 && (
          <Unfolded summary="As a list">{() => <WhyTreeList org={org} nodes={nodes} trail={trail} />}</Unfolded>
        )
      )}
    </Panel>
  );
}

function NothingBelow({ failingOnly, root }: { readonly failingOnly: boolean; readonly root: Explanation }) {
  if (failingOnly && root.children.length > 0)
    return <Empty title="No failures">Passing items are hidden. Clear the checkbox to show them.</Empty>;
  return <Empty title="Nothing to judge">{root.needs !== root.because ? root.needs : null}</Empty>;
}
