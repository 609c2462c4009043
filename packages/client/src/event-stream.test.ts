import { expect, it } from 'vitest';
import { createStreamReader } from './event-stream.ts';

const STREAM =
  '\ufeff: alive\n\nid: 7\nevent: made\ndata: {"a":1}\n\nevent: empty\n\ndata:x\ndata: y\n\nretry: 250\nretry: 1s\nid\ndata\n\n';
const EVENTS = [
  { id: '7', event: 'made', data: '{"a":1}' },
  { id: undefined, event: 'message', data: 'x\ny' },
  { id: '', event: 'message', data: '' },
];

const read = (pieces: string[]) => {
  const reader = createStreamReader();
  return { events: pieces.flatMap((piece) => reader.take(piece)), retryMs: reader.retryMs };
};

it.each(['\n', '\r\n', '\r'])('events are read with lines that end in %j, wherever the text is cut', (end) => {
  // The decoder removes the byte order mark.
  const text = STREAM.slice(1).replaceAll('\n', end);
  const more = `${end}: more`;
  expect(read([text + more])).toEqual({ events: EVENTS, retryMs: 250 });
  expect(read((text + more).split(''))).toEqual({ events: EVENTS, retryMs: 250 });
  for (let at = 0; at <= text.length; at++) {
    expect(read([text.slice(0, at), text.slice(at) + more]).events).toEqual(EVENTS);
  }
});

it('ignores an incomplete event', () => {
  expect(read(['data: x\n']).events).toEqual([]);
});

it('ignores an id with a NUL', () => {
  expect(read(['id: a\0b\ndata: x\n\n']).events).toEqual([{ id: undefined, event: 'message', data: 'x' }]);
});
