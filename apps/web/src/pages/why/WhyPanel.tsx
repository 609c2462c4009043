import type { Explanation } from '@waymark/contract';
import { useMemo } from 'react';
import { usePreferences } from '../../lib/preferences.ts';
import { absolute } from '../../lib/time.ts';
import { WhyTree } from '../../pictures/WhyTree.tsx';
import { WhyTreeList } from '../../pictures/WhyTreeList.tsx';
import type { Trail } from '../../pictures/WhyTreeReasons.tsx';
import { onlyFailing, shownNode, withoutPassing, wordOfNode } from '../../pictures/why-tree.ts';
import { explanationMarkdown } from '../../pictures/why-tree-markdown.ts';
import { usePrinting } from '../../pictures/why-tree-print.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { Checkbox } from '../../ui/Fields.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StaleMark } from '../../ui/StaleMark.tsx';
import { Empty } from '../../ui/States.tsx';
import { Unfolded } from './Unfolded.tsx';

interface WhyPanelProps {
  readonly org: string;
  /** The subject, such as `production`. */
  readonly subject: string;
  /** Default: a sentence with the verdict. The head of some pages has it already. */
  readonly title?: string;
  readonly root: Explanation;
  readonly trail?: Trail;
  readonly fixes: readonly string[];
  /** Directly under the verdict, before the reasons. */
  readonly toFix: React.ReactNode;
  /** Since when, and how long ago that was. */
  readonly note: React.ReactNode;
  /** When it began to fail, in seconds. */
  readonly brokeAt?: number | null;
  /** A report is overdue. */
  readonly isStale?: boolean;
  /** Default: what passes is one line. */
  readonly show: 'failing' | 'all' | undefined;
  readonly onShow: (show: 'failing' | 'all' | undefined) => void;
}

/** One verdict, how to change it, and its tree, with filters and exports. */
export function WhyPanel(props: WhyPanelProps) {
  const { org, subject, root, trail, fixes, toFix, note, brokeAt, isStale = false, show, onShow } = props;
  const { zone } = usePreferences();
  const isPrinting = usePrinting();
  const all = useMemo(() => root.children.map(shownNode), [root]);
  const failingOnly = show === 'failing';
  const nodes = useMemo(() => (failingOnly ? onlyFailing(all) : all), [all, failingOnly]);
  const inTree = useMemo(() => (show === 'all' ? { shown: nodes, passing: 0 } : withoutPassing(nodes)), [nodes, show]);
  const word = wordOfNode(root).toLowerCase();
  const sentence = `Why ${subject} is ${word}`;
  const remarks = [
    ...(isStale ? ['Stale: a report is overdue, so what runs now may differ.'] : []),
    ...(brokeAt ? [`Since ${absolute(brokeAt, zone)}`] : []),
  ];
  const toCopy = explanationMarkdown({ title: subject, root, remarks, fixes, address: location.href });
  return (
    <Panel
      flush
      title={props.title ?? sentence}
      {...(isStale && { note: <StaleMark /> })}
      actions={
        <>
          <div className="no-print">
            <Checkbox isSelected={failingOnly} onChange={(on) => onShow(on ? 'failing' : undefined)}>
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
      {toFix}
      {nodes.length === 0 ? (
        <NothingBelow failingOnly={failingOnly} root={root} />
      ) : (
        <WhyTree org={org} label={sentence} nodes={inTree.shown} trail={trail} />
      )}
      {inTree.passing > 0 && (
        <p className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-1.5 text-quiet no-print">
          {inTree.passing.toLocaleString('en')} others pass.
          <Button variant="quiet" className="!px-2 !py-0.5" onPress={() => onShow('all')}>
            Show them
          </Button>
        </p>
      )}
      {isPrinting ? (
        <div className="px-4 py-3">
          <WhyTreeList org={org} nodes={nodes} trail={trail} />
        </div>
      ) : (
        nodes.length > 0 && (
          <Unfolded summary="As a list">{() => <WhyTreeList org={org} nodes={inTree.shown} trail={trail} />}</Unfolded>
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
