import { ExternalLink } from 'lucide-react';
import { paths } from '../lib/paths.ts';
import { SealMark } from '../pages/attestations/SealMark.tsx';
import { classes } from '../ui/classes.ts';
import { Link } from '../ui/Link.tsx';
import { STATE_WORDS, StateIcon } from '../ui/StateBadge.tsx';
import type { ChainNode } from './evidence-chain.ts';

interface Place {
  readonly org: string;
  readonly flow: string;
  readonly trail: string;
}

/** The address of a node within the application; undefined if it is external or missing. */
export function addressOf(node: ChainNode, { org, flow, trail }: Place): string | undefined {
  if (node.attestationId !== null) return paths.trail(org, flow, trail, node.attestationId);
  if (node.environment !== null) return paths.environment(org, node.environment);
  if (node.fingerprint !== null) return paths.artifact(org, flow, node.fingerprint);
  return undefined;
}

/** The state in a word, or that it is missing. */
export function stateWord({ ghost, state }: Pick<ChainNode, 'ghost' | 'state'>): string {
  if (ghost) return 'Missing';
  return state === null ? '' : STATE_WORDS[state];
}

const FRAMES: Readonly<Record<string, string>> = {
  'non-compliant': 'border-bad bg-bad-wash',
  unknown: 'border-unsure bg-unsure-wash',
  waived: 'border-waived bg-waived-wash',
  compliant: 'border-good/50 bg-panel',
};

export function frameOf({ ghost, state }: Pick<ChainNode, 'ghost' | 'state'>): string {
  if (ghost) return 'border-dashed border-unsure bg-panel';
  return (state && FRAMES[state]) || 'border-line bg-panel';
}

/** A node of the picture. The keyboard reaches it even without a link, so that its reason is read out. */
export function EvidenceChainNode({ node, place }: { readonly node: ChainNode; readonly place: Place }) {
  const href = addressOf(node, place);
  const className = classes(
    'flex h-full w-full flex-col justify-center rounded-md border px-2 text-left text-[12.5px] leading-[1.35] text-ink no-underline hover:no-underline',
    frameOf(node),
  );
  const title = [node.title, stateWord(node), node.detail, node.reason].filter(Boolean).join('. ');
  const content = <Content node={node} />;
  if (href !== undefined)
    return (
      <Link href={href} className={className} title={title}>
        {content}
      </Link>
    );
  const url = node.outside === null ? null : URL.parse(node.outside);
  if (url && /^https?:$/.test(url.protocol))
    return (
      <a href={url.href} target="_blank" rel="noreferrer noopener" className={className} title={title}>
        {content}
      </a>
    );
  return (
    <div className={className} title={title}>
      {content}
    </div>
  );
}

function Content({ node }: { readonly node: ChainNode }) {
  const { state, ghost, seal, title, detail, outside } = node;
  return (
    <>
      <span className="flex min-w-0 items-center gap-1">
        {state !== null && <StateIcon state={state} size={13} />}
        {state !== null && <span className="sr-only">{stateWord({ ghost, state })}: </span>}
        <span className="min-w-0 flex-1 truncate font-medium">{title}</span>
        {outside !== null && <ExternalLink size={11} aria-hidden className="shrink-0 text-quiet" />}
        {seal !== null && seal !== 'unsigned' && <SealMark seal={seal} words={false} />}
      </span>
      <span className="line-clamp-2 text-[12px] text-quiet">{detail}</span>
    </>
  );
}
