import { SealMark } from '../pages/attestations/SealMark.tsx';
import { Link, OutsideLink } from '../ui/Link.tsx';
import { StateIcon } from '../ui/StateBadge.tsx';
import { addressOf, stateWord } from './EvidenceChainNode.tsx';
import type { ChainNode } from './evidence-chain.ts';
import type { ReadChain } from './evidence-chain-reads.ts';
import { STAGES } from './evidence-chain-stages.ts';

interface ListProps {
  readonly chain: ReadChain;
  readonly place: { readonly org: string; readonly flow: string; readonly trail: string };
}

/** A phone has no room for the picture. */
function isNarrow(): boolean {
  return !window.matchMedia('(width >= 40rem)').matches;
}

/** The picture as a list, with nothing folded; on a narrow screen it takes the place of the picture. */
export function EvidenceChainList({ chain, place }: ListProps) {
  const missing = chain.nodes.filter(({ ghost }) => ghost).length;
  return (
    <details className="mt-2 text-[13.5px]" {...(isNarrow() && { open: true })}>
      <summary className="cursor-pointer text-quiet hover:text-ink">
        As a table ({chain.nodes.length} entries, {missing} missing{chain.isWhole ? '' : ' as far as known'})
      </summary>
      <div className="relative mt-2 overflow-x-auto">
        <table className="w-full border-collapse">
          <caption className="sr-only">Evidence chain</caption>
          <thead>
            <tr className="border-b border-line text-left text-[12.5px] text-quiet">
              {['Stage', 'What', 'State', 'Seal', 'Why'].map((title) => (
                <th key={title} scope="col" className="py-1.5 pr-4 font-medium">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {chain.nodes.map((node) => (
              <tr key={node.id} className="border-b border-line align-top last:border-b-0">
                <td className="py-1.5 pr-4 whitespace-nowrap">{STAGES.find(({ id }) => id === node.stage)?.title}</td>
                <td className="py-1.5 pr-4 [overflow-wrap:anywhere]">
                  <Name node={node} place={place} />
                  {node.detail !== '' && <div className="text-quiet">{node.detail}</div>}
                </td>
                <td className="py-1.5 pr-4 whitespace-nowrap">
                  <span className="inline-flex items-center gap-1">
                    {node.state !== null && <StateIcon state={node.state} size={14} />}
                    {stateWord(node) || '–'}
                  </span>
                </td>
                <td className="py-1.5 pr-4 whitespace-nowrap">
                  {node.seal === null ? '–' : <SealMark seal={node.seal} />}
                </td>
                <td className="min-w-48 py-1.5 text-quiet [overflow-wrap:anywhere]">{node.reason ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Name({ node, place }: { readonly node: ChainNode; readonly place: ListProps['place'] }) {
  const href = addressOf(node, place);
  if (href !== undefined) return <Link href={href}>{node.title}</Link>;
  if (node.outside !== null) return <OutsideLink href={node.outside}>{node.title}</OutsideLink>;
  return <>{node.title}</>;
}
