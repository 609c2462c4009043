/** The requests of a command that change something. */
export interface Writes {
  /** The first of them: an import makes too many to keep. */
  readonly done: string[];
  /** How many more were done. */
  more: number;
  /** Sent, and not answered yet. */
  readonly open: Set<string>;
}

/** Enough for any pipeline. */
const SHOWN_MAX = 1_000;

export const noWrites = (): Writes => ({ done: [], more: 0, open: new Set() });

export function watchWrites(send: typeof fetch, writes: Writes): typeof fetch {
  return async (input, init) => {
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    if (method === 'GET' || method === 'HEAD') return send(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const line = `${method} ${pathname.replace(/^.*\/api\/v2\//, '/')}`;
    writes.open.add(line);
    const response = await send(input, init);
    writes.open.delete(line);
    if (response.ok && writes.done.length < SHOWN_MAX) writes.done.push(line);
    else if (response.ok) writes.more += 1;
    return response;
  };
}

/** For an interrupted command: what is recorded, and what may be. */
export function interruptedText({ done, more, open }: Writes): string {
  if (done.length === 0 && open.size === 0) return 'Interrupted; nothing was recorded\n';
  const lines = [
    ...done.map((line) => `  recorded: ${line}`),
    ...(more > 0 ? [`  recorded: ${more} more`] : []),
    ...[...open].map((line) => `  sent, no response yet: ${line}`),
  ];
  return `Interrupted\n${lines.join('\n')}\n`;
}
