import { useState } from 'react';
import { useRoom } from '../lib/room.ts';
import { Button } from '../ui/Button.tsx';
import { classes } from '../ui/classes.ts';
import { Panel } from '../ui/Panel.tsx';
import { Empty, Loaded } from '../ui/States.tsx';
import { EvidenceChainList } from './EvidenceChainList.tsx';
import { EvidenceChainNode } from './EvidenceChainNode.tsx';
import { pathThrough } from './evidence-chain.ts';
import { foldPassing, isFolded, type Layout, layOut, NODE_HEIGHT, type Placed } from './evidence-chain-layout.ts';
import { type ReadChain, useChain } from './evidence-chain-reads.ts';
import { STAGES } from './evidence-chain-stages.ts';

interface EvidenceChainProps {
  readonly org: string;
  readonly flow: string;
  readonly trail: string;
  /** Only what is about this artifact, and about the trail as a whole. */
  readonly fingerprint?: string;
}

/** From the ticket to where it runs, including what is required and missing. */
export function EvidenceChain({ org, flow, trail, fingerprint }: EvidenceChainProps) {
  const chain = useChain({ org, flow, trail, fingerprint });
  const [unfolded, setUnfolded] = useState(false);
  const canFold = chain.data !== undefined && foldPassing(chain.data.nodes).some(isFolded);
  return (
    <Panel
      title="Evidence chain"
      note="From ticket to running environment. Dashed: required but missing."
      {...(canFold && {
        actions: (
          <Button variant="quiet" onPress={() => setUnfolded(!unfolded)}>
            {unfolded ? 'Collapse passing' : 'Expand passing'}
          </Button>
        ),
      })}
    >
      <Loaded of={chain}>
        {(data) =>
          data.nodes.length === 0 ? (
            <Empty title="No evidence yet">No evidence in this trail yet, and none required.</Empty>
          ) : (
            <>
              {data.isGrowing && <span data-loading hidden />}
              <Picture chain={data} isFolding={!unfolded} place={{ org, flow, trail }} />
              {data.leftOut.map((message) => (
                <p key={message} className="text-[13px] text-quiet">
                  {message}
                </p>
              ))}
              <EvidenceChainList chain={data} place={{ org, flow, trail }} />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

interface PictureProps {
  readonly chain: ReadChain;
  readonly isFolding: boolean;
  readonly place: { readonly org: string; readonly flow: string; readonly trail: string };
}

function Picture({ chain, isFolding, place }: PictureProps) {
  const [frame, room] = useRoom<HTMLElement>();
  const [lit, setLit] = useState<string>();
  const shown = isFolding ? foldPassing(chain.nodes) : chain.nodes;
  const layout = layOut(chain, shown, room);
  const path = lit === undefined ? undefined : pathThrough({ edges: pairs(layout) }, lit);
  const dimmed = (id: string) => path !== undefined && !path.has(id);
  return (
    <figure
      aria-label="Evidence chain, by stage"
      className="relative -mx-1 overflow-x-auto px-1 pb-2 max-sm:hidden print:block"
      ref={frame}
    >
      {/* As wide as a screen, on a page of A4. */}
      <div style={{ width: layout.width }} className="print:[zoom:0.6]">
        <div className="relative h-6 text-[12.5px] font-medium text-quiet">
          {STAGES.map(({ id, title }, column) => (
            <span key={id} className="absolute" style={{ left: layout.columnX[column] ?? 0 }}>
              {title}
            </span>
          ))}
        </div>
        <div className="relative" style={{ height: layout.height }}>
          <svg
            width={layout.width}
            height={layout.height}
            aria-hidden="true"
            className="pointer-events-none absolute inset-0"
          >
            {layout.edges.map(({ from, to, path: line }) => {
              const isLit = path?.has(from) && path.has(to);
              return (
                <path
                  key={`${from} ${to}`}
                  d={line}
                  className={classes('fill-none', isLit ? 'stroke-accent' : 'stroke-field')}
                  strokeWidth={isLit ? 2 : 1}
                  opacity={path && !isLit ? 0.25 : 0.7}
                />
              );
            })}
          </svg>
          {STAGES.map(
            ({ id, none }, column) =>
              !shown.some(({ stage }) => stage === id) && (
                <span
                  key={id}
                  className="absolute top-1/2 -translate-y-1/2 text-[12.5px] text-quiet"
                  style={{ left: layout.columnX[column] ?? 0 }}
                >
                  {chain.isWhole ? none : 'Unknown'}
                </span>
              ),
          )}
          {layout.placed.map((placed) => (
            <Positioned
              key={placed.node.id}
              placed={placed}
              width={layout.columnWidth}
              isDimmed={dimmed(placed.node.id)}
              onLight={setLit}
              place={place}
            />
          ))}
        </div>
      </div>
    </figure>
  );
}

function pairs({ edges }: Layout): readonly (readonly [string, string])[] {
  return edges.map(({ from, to }) => [from, to] as const);
}

function Positioned({
  placed: { node, x, y },
  width,
  isDimmed,
  onLight,
  place,
}: {
  readonly placed: Placed;
  readonly width: number;
  readonly isDimmed: boolean;
  readonly onLight: (id: string | undefined) => void;
  readonly place: PictureProps['place'];
}) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it lights the way to the link within, and does nothing by itself.
    <div
      className={classes('absolute transition-opacity', isDimmed && 'opacity-45')}
      style={{ left: x, top: y, width, height: NODE_HEIGHT }}
      onPointerEnter={() => onLight(node.id)}
      onPointerLeave={() => onLight(undefined)}
      onFocus={() => onLight(node.id)}
      onBlur={() => onLight(undefined)}
    >
      {isFolded(node) ? (
        <div
          className="flex h-full flex-col justify-center rounded-md border border-line bg-raised px-2 text-[12.5px]"
          title={node.folded.map(({ title }) => title).join(', ')}
        >
          <span className="font-medium">{`${node.folded.length} more ${node.stage === 'running' ? 'places' : 'pass'}`}</span>
          <span className="truncate text-[12px] text-quiet">{node.folded.map(({ title }) => title).join(', ')}</span>
        </div>
      ) : (
        <EvidenceChainNode node={node} place={place} />
      )}
    </div>
  );
}
