export { chatBody } from './chat.ts';
export * from './content.ts';
export * from './describe.ts';
export { fewNames, joinContents, MAX_ARTIFACTS } from './join.ts';
export { mailContent } from './mail.ts';
export { inert, nameText } from './plain-text.ts';
export * from './retry-schedule.ts';
export * from './signature.ts';
export * from './webhook-body.ts';
