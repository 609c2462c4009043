import { expect, it } from 'vitest';
import { link } from './primitives.ts';

const isTaken = (sent: string) => link(100).safeParse(sent).success;

it.each(['https://ci.example.com/1', 'ssh://git@example.com/a', 'build 7', '', 'database: 5', '/javascript:'])(
  'takes %j as a link',
  (sent) => expect(isTaken(sent)).toBe(true),
);

it.each(['javascript:alert(1)', ' JavaScript :alert(1)', '\tdata:text/html,x', 'vbscript:x', '\u0001javascript:x'])(
  'refuses %j, which a browser would run',
  (sent) => expect(isTaken(sent)).toBe(false),
);
