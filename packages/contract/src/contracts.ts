import type { Contract } from './contract.ts';
import { streamEvents } from './events.ts';
import { archiveFlow, getFlow, listFlows, putFlow, putFlowTemplate, renameFlow } from './flows.ts';
import { getOpenApi, getPolicySchema, getTemplateSchema } from './reference.ts';
import { patchTags } from './tags.ts';

/** Every operation of the API, in the order of the documentation. */
export const contracts: readonly Contract[] = [
  putFlow,
  putFlowTemplate,
  listFlows,
  getFlow,
  renameFlow,
  archiveFlow,
  patchTags,
  streamEvents,
  getOpenApi,
  getTemplateSchema,
  getPolicySchema,
];
