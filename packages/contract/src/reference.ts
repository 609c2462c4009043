import { z } from 'zod';
import { contract } from './contract.ts';

const JsonDocument = z.record(z.string(), z.unknown());

export const getOpenApi = contract({
  id: 'getOpenApi',
  summary: 'Get this API description',
  tag: 'Reference',
  method: 'GET',
  path: '/openapi.json',
  access: 'public',
  status: 200,
  conditional: true,
  replyHeaders: { 'waymark-version': 'Release version of the server' },
  reply: JsonDocument,
  errors: [429],
});

export const getTemplateSchema = contract({
  id: 'getTemplateSchema',
  summary: 'Get the JSON Schema of flow templates',
  tag: 'Reference',
  method: 'GET',
  path: '/schemas/flow-template/v1',
  access: 'public',
  status: 200,
  conditional: true,
  reply: JsonDocument,
  errors: [429],
});

export const getPolicySchema = contract({
  id: 'getPolicySchema',
  summary: 'Get the JSON Schema of environment policies',
  tag: 'Reference',
  method: 'GET',
  path: '/schemas/environment-policy/v1',
  access: 'public',
  status: 200,
  conditional: true,
  reply: JsonDocument,
  errors: [429],
});
