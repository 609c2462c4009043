import { expect, it } from 'vitest';
import { lastLine, type Progress } from './run-back-test.ts';

function streamOf(...pieces: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
}

it('reports progress as it arrives, however lines are split, and returns the last line', async () => {
  const updates: Progress[] = [];
  const last = await lastLine(
    streamOf(
      '{"progress":{"environment":"prod","do',
      'ne":1,"of":4}}\n{"progress":',
      '{"environment":"prod","done":4,"of":4}}\n{"flips":[]',
      '}\n',
    ),
    (progress) => updates.push(progress),
  );
  expect(updates.map(({ done }) => done)).toEqual([1, 4]);
  expect(last).toBe('{"flips":[]}');
});

it('needs no line break at the end', async () => {
  expect(await lastLine(streamOf('{"flips":["ü"]}'), () => undefined)).toBe('{"flips":["ü"]}');
});
