export type { AgoUnit, Expression, Numbered, Timed } from './expression.ts';
export { intervalNode, nodesAt } from './interval-node.ts';
export { type EventBound, type ParsedEventBound, parseEventBound } from './parse-event-bound.ts';
export { type ParsedExpression, parseExpression } from './parse-expression.ts';
export { type ParsedInterval, parseInterval } from './parse-interval.ts';
export { type ParsedSnappish, parseSnappish } from './parse-snappish.ts';
export { indexOf, momentOf } from './resolve.ts';
