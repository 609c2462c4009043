/** The requests of a command that change something. */
export interface Writes {
  readonly done: string[];
  /** Sent, and not answered yet. */
  readonly open: Set<string>;
}

export const noWrites = (): Writes => ({ done: [], open: new Set() });

export function watchWrites(send: typeof fetch, writes: Writes): typeof fetch {
  return async (input, init) => {
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    if (method === 'GET' || method === 'HEAD') return send(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const line = `${method} ${pathname.replace(/^.*\/api\/v2\//, '/')}`;
    writes.open.add(line);
    const response = await send(input, init);
    writes.open.delete(line);
    if (response.ok) writes.done.push(line);
    return response;
  };
}

/** For an interrupted command: what is recorded, and what may be. */
export function interruptedText({ done, open }: Writes): string {
  if (done.length === 0 && open.size === 0) return 'Interrupted; nothing was recorded\n';
  const lines = [
    ...done.map((line) => `  recorded: ${line}`),
    ...[...open].map((line) => `  sent, and not answered: ${line}`),
  ];
  return `Interrupted\n${lines.join('\n')}\n`;
}
