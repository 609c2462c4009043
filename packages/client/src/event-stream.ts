/** One event as it was sent. */
export interface RawEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

export interface StreamReader {
  /** Takes a piece of the text, cut anywhere, and returns the events that are complete. */
  take(text: string): RawEvent[];
  /** The reconnection delay that the server asked for. */
  readonly retryMs: number | undefined;
}

/** Parses server-sent events as the HTML standard defines. */
export function createStreamReader(): StreamReader {
  let rest = '';
  let fields: { id?: string; event?: string; data: string[] } = { data: [] };
  let retryMs: number | undefined;

  const field = (name: string, value: string) => {
    if (name === 'data') fields.data.push(value);
    else if (name === 'event') fields.event = value;
    else if (name === 'id' && !value.includes('\0')) fields.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  };
  const line = (text: string): RawEvent[] => {
    if (text !== '') {
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(text) ?? [];
      field(name, value);
      return [];
    }
    const { id, event = 'message', data } = fields;
    fields = { data: [] };
    return data.length > 0 ? [{ id, event, data: data.join('\n') }] : [];
  };

  return {
    get retryMs() {
      return retryMs;
    },
    take(text) {
      const lines = `${rest}${text}`.split(/\r\n|\n|\r(?!\n|$)/);
      // A CR at the end may be half of a CRLF: it stays until more arrives.
      rest = lines.pop() ?? '';
      return lines.flatMap(line);
    },
  };
}
